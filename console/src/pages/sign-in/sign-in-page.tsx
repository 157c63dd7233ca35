import { Alert, Button } from 'antd';
import { useState } from 'react';
import { ApiError } from '../../api/client.js';
import { useSignIn } from '../../api/session.js';
import type { Text } from '../../i18n/en.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { TextField } from '../../parts/text-field.js';
import { Outside } from './outside.js';

export function SignInPage({ setupNeeded }: { setupNeeded: boolean }) {
  const text = useText();
  const { signIn } = text;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const login = useSignIn();
  return (
    <Outside title={signIn.title} intro={signIn.intro}>
      {setupNeeded && <Alert type="info" title={signIn.setupNeeded} />}
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          login.mutate({ name, password });
        }}
      >
        <TextField label={signIn.name} value={name} onChange={setName} autoComplete="username" autoFocus />
        <TextField
          label={signIn.password}
          value={password}
          onChange={setPassword}
          isPassword
          autoComplete="current-password"
          hint={signIn.forgot}
        />
        {login.error !== null && <Alert type="error" role="alert" title={refusal(login.error, text)} />}
        <Button type="primary" htmlType="submit" block loading={login.isPending}>
          {signIn.submit}
        </Button>
      </form>
    </Outside>
  );
}

/** The service does not say which of the two is wrong, and so does this page not. */
function refusal(error: unknown, text: Text): string {
  if (error instanceof ApiError && error.status === 401) return text.signIn.wrong;
  if (error instanceof ApiError && error.status === 429) return text.signIn.tooMany(error.retryAfterSeconds);
  return errorText(error, text);
}
