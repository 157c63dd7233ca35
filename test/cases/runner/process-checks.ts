import { exchange } from './http-exchange.js';
import type { CheckContext } from './checks.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, ensure, ensureEqual, UnsupportedError } from './verdict.js';

const PROBE_LIMIT_MS = 5_000;
/** Parts of the readiness body by the names that cases use. */
const PARTS: Readonly<Record<string, string>> = {
  redis: 'guard',
  broker: 'transport',
  db: 'database',
  mysql: 'database',
};

/** Checks of processes and health endpoints. */
export async function checkProcess({ stack, heapAtStart }: CheckContext, step: Step): Promise<void> {
  switch (step.what) {
    case 'alive':
      ensure(stack.product?.isAlive === true, 'the process has ended');
      return checkLive(stack, { ...step, status: 200 });
    case 'live':
      return checkLive(stack, step);
    case 'ready':
      return checkReady(stack, step);
    case 'exit':
      return checkExit(stack, step);
    case 'restarts': {
      const crashes = crashesOf(stack).length;
      ensure(crashes <= Number(step['max'] ?? 0), `the process has ended by itself ${crashes} time(s)`);
      return;
    }
    case 'memoryGrowthMb': {
      const heap = Number(await stack.product?.ask({ ask: 'heap' }));
      const grownMb = (heap - heapAtStart) / 1_048_576;
      ensure(grownMb <= Number(step['max']), `the heap grew by ${grownMb.toFixed(1)} MB, at most ${step['max']}`);
      return;
    }
    default:
      throw new UnsupportedError(`check ${step.what} is not known here`);
  }
}

/** Ends of processes that nobody had asked for. */
export function crashesOf({ all }: Stack): string[] {
  return all
    .filter(({ ended, endIsWanted }) => ended !== null && !endIsWanted)
    .map(({ ended }) => `code ${ended?.code}, signal ${ended?.signal}`);
}

async function probe(stack: Stack, path: string, step: Step) {
  const maxMs = Number(step['maxMs'] ?? PROBE_LIMIT_MS);
  const answer = await exchange(stack.callbackBase, { method: 'GET', path, headers: {}, timeoutMs: maxMs });
  if (answer.kind !== 'answer') throw new CaseFailedError(`${path}: no answer within ${maxMs} ms (${answer.kind})`);
  return answer;
}

async function checkLive(stack: Stack, step: Step): Promise<void> {
  const answer = await probe(stack, '/health/live', step);
  ensureEqual(answer.status, step['status'] ?? 200, 'liveness');
}

interface ReadyBody {
  readonly details?: Readonly<Record<string, { readonly status: string; readonly degraded?: boolean }>>;
}

async function checkReady(stack: Stack, step: Step): Promise<void> {
  const answer = await probe(stack, '/health/ready', step);
  const value = step['value'] ?? true;
  ensure(
    answer.status === (value === true ? 200 : 503),
    `readiness: expected ${value}, got ${answer.status} ${answer.body}`,
  );
  if (step['degraded'] === undefined) return;
  const wanted = String(step['degraded']);
  const part = (JSON.parse(answer.body) as ReadyBody).details?.[PARTS[wanted] ?? wanted];
  const isNamed = part !== undefined && (part.degraded === true || part.status !== 'up');
  ensure(isNamed, `readiness must list ${wanted} as degraded: ${answer.body}`);
}

async function checkExit(stack: Stack, step: Step): Promise<void> {
  const withinMs = Number(step['withinMs'] ?? 30_000);
  const product = stack.product;
  if (!product) throw new CaseFailedError('there is no process');
  ensure(await product.waitForEnd(withinMs), `the process has not ended within ${withinMs} ms`);
  const tookMs = (product.ended?.at ?? 0) - product.askedAt;
  ensure(tookMs <= withinMs, `the process took ${tookMs} ms to end, at most ${withinMs}`);
  if (step['code'] !== undefined) ensureEqual(product.ended?.code, step['code'], 'exit code');
}
