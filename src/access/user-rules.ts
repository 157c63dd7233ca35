export const NAME_LENGTH_MAX = 64;
/** Of users and tokens. No colon and no bracket: `token:ci` and `(anonymous)` in the audit are nobody's name. */
export const NAME = /^[\p{L}\p{M}\p{N}._@-]{1,64}$/u;
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;
const CHARACTERS_MIN = 5;

/** One name for what looks the same, however the keyboard composed it. */
export function canonicalName(name: string): string {
  return name.normalize('NFC');
}

/** What is wrong with a new password; null when nothing is. Length is what protects (NIST SP 800-63B), not its alphabet. */
export function passwordFault(password: string, name: string): string | null {
  const characters = [...password.normalize('NFKC')];
  if (characters.length < PASSWORD_LENGTH_MIN)
    return `the password must have at least ${PASSWORD_LENGTH_MIN} characters`;
  if (characters.length > PASSWORD_LENGTH_MAX)
    return `the password must have at most ${PASSWORD_LENGTH_MAX} characters`;
  if (new Set(characters).size < CHARACTERS_MIN)
    return `the password must have at least ${CHARACTERS_MIN} different characters`;
  const [text, own] = [password.toLowerCase(), name.toLowerCase()];
  // `admin` repeated, or with a year behind it.
  if (text.replaceAll(own, '').length < CHARACTERS_MIN) return 'the password must be more than the name';
  return null;
}
