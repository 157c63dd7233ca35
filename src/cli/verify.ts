import type { App, AppCredentials } from '../config/config.js';
import { HttpClient, type HttpOutcome } from '../simulator/http-client.js';
import { encrypt } from '../wecom/cipher.js';
import { sign } from '../wecom/signature.js';
import { loadApps, pickApp, type AppsOption } from './apps.js';
import { writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { UsageError } from './cli-errors.js';
import { judgeEcho, type Finding, type SentEcho } from './echo-answer.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { baseUrl } from './option-values.js';
import { printable } from './printable.js';

export interface VerifyOptions extends AppsOption, JsonOption {
  readonly timeout: number;
}

type PairName = 'current' | 'next';

interface Try {
  readonly credentials: AppCredentials;
  readonly receiveId: string;
  readonly isForged?: boolean;
}

interface Checked {
  readonly pair: PairName;
  readonly ms: number;
  readonly findings: readonly Finding[];
}

const ANSWER_BYTES_MAX = 256 * 1_024;
const ECHO_DIGITS = 19;
const SEALS_MAX = 100;
const WRONG_CORP_ID = 'ww0000000000000000';

/** The URL verification (验证 URL), as WeCom does it when an administrator presses Save, and two tries that must fail. */
export async function verify(context: CliContext, url: string, options: VerifyOptions): Promise<ExitCode> {
  const target = targetOf(url);
  const loaded = loadApps(context, options);
  const app = pickApp(loaded, options.app ?? appOfUrl(target));
  const http = new HttpClient(1);
  try {
    const verifier = new Verifier(context, http, target, options.timeout);
    const pairs: Checked[] = [];
    for (const [index, credentials] of app.credentials.entries())
      pairs.push(await verifier.check(app, credentials, index === 0 ? 'current' : 'next', loaded.path));
    report(context, { url: target, app: app.name, pairs }, options);
    return exitOf(pairs);
  } finally {
    http.close();
  }
}

class Verifier {
  constructor(
    private readonly context: CliContext,
    private readonly http: HttpClient,
    private readonly url: string,
    private readonly timeoutMs: number,
  ) {}

  async check(app: App, credentials: AppCredentials, pair: PairName, path: string): Promise<Checked> {
    const [receiveId = ''] = app.receiveIds;
    const { outcome, sent, ms } = await this.send({ credentials, receiveId });
    const found = judgeEcho(outcome, sent, ms);
    if (found.some(({ code }) => code === 'refused'))
      return {
        pair,
        ms,
        findings: [...found.filter(({ code }) => code !== 'refused'), await this.whyRefused(app, credentials, path)],
      };
    const isRight = found.every(({ code }) => code === 'slow');
    return { pair, ms, findings: isRight ? [...found, ...(await this.laxness({ credentials, receiveId }))] : found };
  }

  /** A receiver does not say which check failed; what passes instead tells. */
  private async whyRefused(app: App, credentials: AppCredentials, path: string): Promise<Finding> {
    const code = 'refused';
    for (const receiveId of app.receiveIds.slice(1)) {
      const { outcome, sent, ms } = await this.send({ credentials, receiveId });
      if (judgeEcho(outcome, sent, ms).every((finding) => finding.code === 'slow')) {
        const message = `wrong corp id: the service takes the receive id ${receiveId}, but not ${app.receiveIds[0]}, which comes first in ${path}`;
        return { code, message };
      }
    }
    const parts = `token, encodingAESKey or receiveId (wrong corp id) of app ${app.name}`;
    return { code, message: `refused: ${parts} in ${path} is not what the service at this URL uses` };
  }

  /** What anybody could send must not be answered. */
  private async laxness(right: Try): Promise<Finding[]> {
    const findings: Finding[] = [];
    const forged = await this.send({ ...right, isForged: true });
    if (isEchoed(forged)) {
      const message = 'a wrong signature was answered too: anybody can send events to this URL';
      findings.push({ code: 'signature-not-checked', message });
    }
    const foreign = await this.send({ ...right, receiveId: WRONG_CORP_ID });
    if (isEchoed(foreign)) {
      const message = 'a wrong corp id was answered too: the receive id in the message has to be compared';
      findings.push({ code: 'receive-id-not-checked', message });
    }
    return findings;
  }

  private async send(one: Try): Promise<{ outcome: HttpOutcome; sent: SentEcho; ms: number }> {
    const { clock, random, signal } = this.context;
    signal.throwIfAborted();
    const echo = [...random.bytes(ECHO_DIGITS)].map((byte) => byte % 10).join('');
    const sealed = this.sealed(echo, one);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const nonce = random.bytes(6).toString('hex');
    const right = sign({ token: one.credentials.token, timestamp, nonce, encrypt: sealed });
    const signature = one.isForged ? right.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) : right;
    const query = `msg_signature=${signature}&timestamp=${timestamp}&nonce=${nonce}&echostr=${encodeURIComponent(sealed)}`;
    const begun = clock.monotonic();
    const url = `${this.url}${this.url.includes('?') ? '&' : '?'}${query}`;
    const outcome = await this.http.send({
      ...{ method: 'GET', url, timeoutMs: this.timeoutMs, answerBytesMax: ANSWER_BYTES_MAX },
    });
    return { outcome, sent: { echo, sealed, receiveId: one.receiveId }, ms: clock.monotonic() - begun };
  }

  /** With a plus and a slash in it: a proxy that decodes the query twice, or normalises it, shows by them. */
  private sealed(echo: string, { credentials, receiveId }: Try): string {
    for (let tries = 0; ; tries += 1) {
      const sealed = encrypt(echo, receiveId, credentials.aesKey, this.context.random.bytes(16));
      if ((sealed.includes('+') && sealed.includes('/')) || tries >= SEALS_MAX) return sealed;
    }
  }
}

function isEchoed({ outcome, sent }: { outcome: HttpOutcome; sent: SentEcho }): boolean {
  return outcome.kind === 'answered' && outcome.status === 200 && outcome.body.includes(sent.echo);
}

function targetOf(text: string): string {
  try {
    return baseUrl(text);
  } catch (cause) {
    throw new UsageError(`${text} is no URL that WeCom could call: http(s)://host/path`, { cause });
  }
}

function appOfUrl(url: string): string | undefined {
  const [, name] = /\/wecom\/callbacks\/([A-Za-z0-9_-]{1,64})$/.exec(new URL(url).pathname) ?? [];
  return name;
}

function exitOf(pairs: readonly Checked[]): ExitCode {
  const findings = pairs.flatMap((pair) => pair.findings);
  if (findings.length === 0) return EXIT.ok;
  return findings.every(({ code }) => code === 'unreachable') ? EXIT.unreachable : EXIT.notSo;
}

function report(
  context: CliContext,
  { url, app, pairs }: { url: string; app: string; pairs: readonly Checked[] },
  { json }: JsonOption,
): void {
  const ok = pairs.every(({ findings }) => findings.length === 0);
  if (json) {
    const shown = pairs.map(({ pair, ms, findings }) => ({ pair, ms: Math.round(ms), findings }));
    writeJson(context, { ok, url, app, pairs: shown });
    return;
  }
  writeLines(context, [
    ...pairs.flatMap(({ pair, ms, findings }) => {
      const which = pairs.length > 1 ? ` (${pair} pair of keys)` : '';
      if (findings.length === 0) return [`right${which}: the decrypted text came back in ${Math.round(ms)} ms`];
      return findings.map(({ code, message }) => `wrong${which}: ${code}: ${printable(message)}`);
    }),
    ok ? 'WeCom would take this URL.' : 'WeCom would not take this URL, or should not.',
  ]);
}
