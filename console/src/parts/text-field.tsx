import { Input } from 'antd';
import { useId } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly isPassword?: boolean;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
}

export function TextField({ label, value, onChange, hint, isPassword = false, ...input }: Props) {
  const id = useId();
  const { autoComplete = 'off', autoFocus = false, minLength, maxLength, required = true } = input;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        type={isPassword ? 'password' : 'text'}
        value={value}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        minLength={minLength}
        maxLength={maxLength}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && <span id={`${id}-hint`}>{hint}</span>}
    </div>
  );
}
