import { Alert } from 'antd';
import { useText } from '../../i18n/language.js';
import { TextField } from '../../parts/text-field.js';
import { PASSWORD_LENGTH_MIN } from './password-rule.js';

export interface NewPassword {
  readonly password: string;
  readonly repeated: string;
}

export const NO_PASSWORD: NewPassword = { password: '', repeated: '' };

/** Also while the second is not begun they do not differ. */
export function differ({ password, repeated }: NewPassword): boolean {
  return repeated !== '' && repeated !== password;
}

interface Props {
  readonly label: string;
  readonly repeatLabel: string;
  readonly value: NewPassword;
  readonly onChange: (value: NewPassword) => void;
}

/** A password that is to be, asked for twice since nobody sees what is typed. */
export function NewPasswordFields({ label, repeatLabel, value, onChange }: Props) {
  const { password: text } = useText();
  const field = { isPassword: true, autoComplete: 'new-password' };
  return (
    <>
      <TextField
        {...field}
        label={label}
        value={value.password}
        onChange={(password) => onChange({ ...value, password })}
        minLength={PASSWORD_LENGTH_MIN}
        hint={text.tooShort(PASSWORD_LENGTH_MIN)}
      />
      <TextField
        {...field}
        label={repeatLabel}
        value={value.repeated}
        onChange={(repeated) => onChange({ ...value, repeated })}
      />
      {differ(value) && <Alert type="warning" role="alert" title={text.differ} />}
    </>
  );
}
