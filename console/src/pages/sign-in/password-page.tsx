import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useChangePassword } from '../../api/session.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { TextField } from '../../parts/text-field.js';
import { differ, NewPasswordFields, NO_PASSWORD } from './new-password-fields.js';

export function PasswordPage() {
  const text = useText();
  const { password } = text;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState(NO_PASSWORD);
  const change = useChangePassword();
  return (
    <>
      <PageHead title={password.title} />
      <form
        className="card form"
        style={{ maxWidth: 420 }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!differ(next)) change.mutate({ current, next: next.password });
        }}
      >
        <TextField
          label={password.current}
          value={current}
          onChange={setCurrent}
          isPassword
          autoComplete="current-password"
        />
        <NewPasswordFields label={password.next} repeatLabel={password.repeat} value={next} onChange={setNext} />
        {change.error !== null && <Alert type="error" role="alert" title={errorText(change.error, text)} />}
        {change.isSuccess && <Alert type="success" role="status" title={password.done} />}
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          {password.submit}
        </Button>
      </form>
    </>
  );
}
