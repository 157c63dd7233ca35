import { Button, type ButtonProps } from 'antd';
import type { Role } from '../api/session.js';
import { useText } from '../i18n/language.js';
import { covers, useUser } from '../session/session.js';

interface Props extends ButtonProps {
  readonly role: Role;
  /** Why it cannot be done now, whoever asks. */
  readonly blocked?: string | undefined;
}

/** A button that says why it may not be pressed. The service has the last word; this saves people a refusal. */
export function GuardedButton({ role, blocked, ...button }: Props) {
  const { needs } = useText();
  const user = useUser();
  const why = covers(user.role, role) ? blocked : role === 'admin' ? needs.admin : needs.operator;
  if (why === undefined) return <Button {...button} />;
  return <Button {...button} disabled title={why} aria-description={why} />;
}
