import { type AdminClient, AdminUnavailableError } from './admin-client.js';
import type { Flags } from './flags.js';
import type { HttpClient } from './http-client.js';
import type { Sealer } from './sealer.js';
import { SetupError } from './setup-error.js';

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 64 * 1_024;

/**
 * Verifies the URL as WeCom does when an administrator saves it: only who holds the same credentials opens the echo.
 * Throws `SetupError`.
 */
export async function checkTarget(http: HttpClient, url: string, sealer: Sealer, nowMs: number): Promise<void> {
  const echo = `echo-${nowMs}`;
  const outcome = await http.send({
    method: 'GET',
    url: `${url}?${sealer.sealVerification(echo, nowMs)}`,
    timeoutMs: TIMEOUT_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  if (outcome.kind === 'failed') {
    throw new SetupError(
      `Nothing answers at ${url} (${outcome.reason}). Start the service (npm start), or name it with --target`,
    );
  }
  if (outcome.status === 404) {
    throw new SetupError(
      `The service knows no such app: ${url} is answered with 404. Name another with --app or --target`,
    );
  }
  if (outcome.status !== 200 || outcome.body !== echo) {
    throw new SetupError(
      `${url} does not pass the URL verification (HTTP ${outcome.status}). Its credentials are others than those read ` +
        'here: point --data or --apps at the files of that very service',
    );
  }
}

/** The id of the ledger's last row before the run. Throws `SetupError`. */
export async function checkAdmin(admin: AdminClient, flags: Flags): Promise<number> {
  try {
    return (await admin.summary()).lastChangeId;
  } catch (error) {
    if (!(error instanceof AdminUnavailableError)) throw error;
    if (error.status === null) {
      throw new SetupError(`No admin API at ${flags.admin}. Start the service with it, or name it with --admin`, {
        cause: error,
      });
    }
    if (error.status === 401 || error.status === 403) {
      throw new SetupError(
        `${flags.admin} refuses the admin token. Point --data at the folder of that very service, or set ADMIN_TOKEN`,
        { cause: error },
      );
    }
    throw new SetupError(
      `${flags.admin} answers, but not as the admin API of this service. Name the right one with --admin`,
      { cause: error },
    );
  }
}
