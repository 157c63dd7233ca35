// Whatever stands on a command line is shown by `ps`, kept in the shell's history and in CI's logs.
const SECRET =
  /^--?(?:admin-?)?(?:token|bearer|authorization|password|passwd|secret|api-?key|key|(?:encoding-?)?aes-?key)(?:[=:]|$)/i;

/** The name of the first option that would carry a secret, without its value; null when there is none. */
export function secretOption(args: readonly string[]): string | null {
  const end = args.indexOf('--');
  const found = (end < 0 ? args : args.slice(0, end)).find((arg) => SECRET.test(arg));
  return found === undefined ? null : found.replace(/[=:].*$/s, '');
}

export const SECRETS_BELONG =
  'no secret on a command line: everybody on this machine could read it. The admin token is read from ADMIN_TOKEN, ' +
  'ADMIN_TOKEN_FILE or DATA_DIR/admin-token, keys from the apps file';
