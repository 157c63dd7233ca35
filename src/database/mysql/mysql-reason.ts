const DEPTH_MAX = 5;

/**
 * Why the database is away, for health pages that anybody may read: the driver's code where there is one, since its
 * messages name hosts and users. Our own errors say no such thing.
 */
export function reasonOf(error: unknown): string {
  let current: unknown = error;
  // TypeORM wraps the driver's error.
  for (let depth = 0; depth < DEPTH_MAX && typeof current === 'object' && current !== null; depth += 1) {
    const { code, errno, fatal, driverError, cause } = current as Record<string, unknown>;
    if (typeof code === 'string' && (errno !== undefined || fatal === true)) return `the database is away (${code})`;
    current = driverError ?? cause;
  }
  return error instanceof Error ? error.message : 'unknown';
}
