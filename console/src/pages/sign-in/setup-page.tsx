import { Alert, Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../api/client.js';
import { useSetup } from '../../api/session.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { TextField } from '../../parts/text-field.js';
import { differ, NewPasswordFields, NO_PASSWORD } from './new-password-fields.js';
import { Outside } from './outside.js';
import { setupTokenOf } from './setup-token.js';

/** The token stands behind the `#`, which browsers send to nobody, and leaves the address at once. */
export function SetupPage() {
  const text = useText();
  const { setup, signIn } = text;
  const [token] = useState(() => takeToken());
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(NO_PASSWORD);
  const make = useSetup();
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
            if (token !== null && !differ(chosen)) make.mutate({ token, name, password: chosen.password });
          }}
        >
          <TextField label={signIn.name} value={name} onChange={setName} autoComplete="username" autoFocus />
          <NewPasswordFields label={signIn.password} repeatLabel={setup.repeat} value={chosen} onChange={setChosen} />
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
