import { Alert, Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../api/client.js';
import { useSetup } from '../../api/session.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { TextField } from '../../parts/text-field.js';
import { Outside } from './outside.js';
import { PASSWORD_LENGTH_MIN } from './password-rule.js';
import { setupTokenOf } from './setup-token.js';

/** The token stands behind the `#`, which browsers send to nobody, and leaves the address at once. */
export function SetupPage() {
  const text = useText();
  const { setup, signIn } = text;
  const [token] = useState(() => takeToken());
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const make = useSetup();
  const differ = repeated !== '' && repeated !== password;
  return (
    <Outside title={setup.title} intro={setup.intro}>
      {token === null && <Alert type="warning" role="alert" title={setup.noToken} />}
      {make.isSuccess ? (
        <>
          <Alert type="success" role="status" title={setup.done} />
          <Link to="/">{setup.goOn}</Link>
        </>
      ) : (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (token !== null && !differ) make.mutate({ token, name, password });
          }}
        >
          <TextField label={signIn.name} value={name} onChange={setName} autoComplete="username" autoFocus />
          <TextField
            label={signIn.password}
            value={password}
            onChange={setPassword}
            isPassword
            minLength={PASSWORD_LENGTH_MIN}
            autoComplete="new-password"
            hint={text.password.tooShort(PASSWORD_LENGTH_MIN)}
          />
          <TextField
            label={setup.repeat}
            value={repeated}
            onChange={setRepeated}
            isPassword
            autoComplete="new-password"
          />
          {differ && <Alert type="warning" role="alert" title={text.password.differ} />}
          {make.error !== null && (
            <Alert
              type="error"
              role="alert"
              title={
                make.error instanceof ApiError && make.error.status === 403
                  ? setup.refused
                  : errorText(make.error, text)
              }
            />
          )}
          <Button type="primary" htmlType="submit" block disabled={token === null} loading={make.isPending}>
            {setup.submit}
          </Button>
        </form>
      )}
    </Outside>
  );
}

let taken: string | null | undefined;

// Once for the life of the page: by a second look the address has lost it.
function takeToken(): string | null {
  if (taken === undefined) {
    taken = setupTokenOf(window.location.hash);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return taken;
}
