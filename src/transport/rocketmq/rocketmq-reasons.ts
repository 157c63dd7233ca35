/** What the server answers, as numbers: the client keeps them in `code` (definition.proto of RocketMQ, gRPC's statuses). */
export const OK = 20_000;
const INVALID_RECEIPT_HANDLE = 40_013;
const UNAUTHORIZED = 40_100;
const FORBIDDEN = 40_300;
const TOPIC_NOT_FOUND = 40_402;
const GROUP_NOT_FOUND = 40_403;
const GRPC_INVALID_ARGUMENT = 3;
const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNAUTHENTICATED = 16;

// Trying again does not help until somebody changes the settings or the broker's.
const WIRING = new Set([
  ...[UNAUTHORIZED, FORBIDDEN, TOPIC_NOT_FOUND, GROUP_NOT_FOUND],
  ...[GRPC_INVALID_ARGUMENT, GRPC_PERMISSION_DENIED, GRPC_UNAUTHENTICATED],
]);
const CAUSES_MAX = 5;

/** The client wraps what the server said up to twice, and the outer texts say only that something failed. */
export function rootCause(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < CAUSES_MAX; depth += 1) {
    if (!(root instanceof Error) || root.cause === undefined) return root;
    root = root.cause;
  }
  return root;
}

export function reasonOf(error: unknown): string {
  const root = rootCause(error);
  // The second line of the server's answers is an advertisement for its FAQ.
  return (root instanceof Error ? root.message : String(root)).split('\n')[0] ?? '';
}

export function isReceiptRefused(error: unknown): boolean {
  return codeOf(error) === INVALID_RECEIPT_HANDLE;
}

/** Wrong wiring, not weather. */
export function isWiring(error: unknown): boolean {
  const code = codeOf(rootCause(error));
  return code !== null && WIRING.has(code);
}

function codeOf(error: unknown): number | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' ? code : null;
}
