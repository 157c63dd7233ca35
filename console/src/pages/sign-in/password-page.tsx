import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useChangePassword } from '../../api/session.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { TextField } from '../../parts/text-field.js';
import { PASSWORD_LENGTH_MIN } from './password-rule.js';

export function PasswordPage() {
  const text = useText();
  const { password } = text;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [repeated, setRepeated] = useState('');
  const change = useChangePassword();
  const differ = repeated !== '' && repeated !== next;
  return (
    <>
      <PageHead title={password.title} />
      <form
        className="card form"
        style={{ maxWidth: 420 }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!differ) change.mutate({ current, next });
        }}
      >
        <TextField
          label={password.current}
          value={current}
          onChange={setCurrent}
          isPassword
          autoComplete="current-password"
        />
        <TextField
          label={password.next}
          value={next}
          onChange={setNext}
          isPassword
          minLength={PASSWORD_LENGTH_MIN}
          autoComplete="new-password"
          hint={password.tooShort(PASSWORD_LENGTH_MIN)}
        />
        <TextField
          label={password.repeat}
          value={repeated}
          onChange={setRepeated}
          isPassword
          autoComplete="new-password"
        />
        {differ && <Alert type="warning" role="alert" title={password.differ} />}
        {change.error !== null && <Alert type="error" role="alert" title={errorText(change.error, text)} />}
        {change.isSuccess && <Alert type="success" role="status" title={password.done} />}
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          {password.submit}
        </Button>
      </form>
    </>
  );
}
