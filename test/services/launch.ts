/** A program and its arguments: what tests start as their child and `npm run services` starts for longer than itself. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Beyond what the starting process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Debian puts daemons where not every user's path looks. */
export const ENV_WITH_DAEMONS = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };

/** Servers of databases refuse to run as root unless told so. */
export function asRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}
