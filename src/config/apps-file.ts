import { plainToInstance } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  validateSync,
} from 'class-validator';
import { parse as parseYaml } from 'yaml';
import { decodeAesKey } from '../wecom/aes-key.js';
import type { App, AppCredentials } from './config.js';
import { NACK_MODES, type NackMode } from './env.js';

const APP_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** What decides the default deadline; a misspelt one must not fall back to the longer. */
const KINDS = ['self-built', 'third-party', 'ai-bot'] as const;
const DEADLINE_MS = 5_000;
// Authorisation events of third-party suites, and device events, have one second.
const THIRD_PARTY_DEADLINE_MS = 1_000;
const KEY_RULE = { message: 'must be 43 letters and digits, as WeCom shows it, without "=" or quotes' };
const TOKEN_RULE = { message: 'must be 1 to 64 letters and digits' };

class Credentials {
  @Matches(/^[A-Za-z0-9]{1,64}$/, TOKEN_RULE)
  token!: string;

  @Matches(/^[A-Za-z0-9+/]{43}$/, KEY_RULE)
  encodingAESKey!: string;
}

class AppSettings extends Credentials {
  @IsOptional()
  @IsIn(KINDS)
  kind?: (typeof KINDS)[number];

  /** '' is a value of its own (AI bots); a missing one would be no check at all. */
  @IsString({ message: 'must be given; "" only for AI bots and individual developers' })
  receiveId!: string;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  alsoReceiveIds?: string[];

  /** For replies, which this version does not send yet; a callback's format is told from its first byte. */
  @IsOptional()
  @IsIn(['xml', 'json'])
  envelope?: 'xml' | 'json';

  @IsOptional()
  @IsInt()
  @Min(500)
  @Max(5_000)
  deadlineMs?: number;

  @IsOptional()
  @IsIn(NACK_MODES)
  nackMode?: NackMode;

  /** The app's Secret, for reading from WeCom's API where events cannot tell; a corp's own app only. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{16,128}$/, { message: 'must be the Secret of the app, as WeCom shows it' })
  secret?: string;

  @IsOptional()
  next?: unknown;
}

export interface ParsedApps {
  readonly apps: ReadonlyMap<string, App>;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the apps file, JSON or YAML (a superset). Unknown fields are kept out of the way: files may be shared with other tools. */
export function parseApps(text: string, source: string, nackMode: NackMode): ParsedApps {
  const faults: string[] = [];
  const warnings: string[] = [];
  const apps = new Map<string, App>();
  let content: unknown;
  try {
    // Core schema, so that a receive id of digits in quotes stays text.
    content = parseYaml(text);
  } catch {
    return { apps, warnings, faults: [`${source} is neither JSON nor YAML`] };
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { apps, warnings, faults: [`${source} must map app names to their settings`] };
  }
  for (const [name, value] of Object.entries(content)) {
    const where = `${source}: ${name}`;
    if (!APP_NAME.test(name))
      faults.push(`${where}: the name must be 1 to 64 letters, digits, "-" or "_" (it is part of the URL)`);
    const settings = checked(AppSettings, value, where, faults, warnings);
    const next =
      settings?.next === undefined ? null : checked(Credentials, settings.next, `${where}: next`, faults, warnings);
    if (settings?.secret !== undefined && !hasCorpSecret(settings))
      faults.push(`${where}: secret: only an app of the corp's own, whose receiveId is the CorpID, has one`);
    if (settings) apps.set(name, appFrom(name, settings, next, nackMode));
  }
  if (apps.size === 0 && faults.length === 0) faults.push(`${source} names no app`);
  return { apps, faults, warnings };
}

function checked<T extends Credentials>(
  type: new () => T,
  value: unknown,
  where: string,
  faults: string[],
  warnings: string[],
): T | null {
  if (typeof value !== 'object' || value === null) {
    faults.push(`${where}: must be a map of settings`);
    return null;
  }
  const settings = plainToInstance(type, trimmed(value, where, warnings));
  const errors = validateSync(settings);
  for (const error of errors) {
    faults.push(`${where}: ${error.property}: ${Object.values(error.constraints ?? {}).join('; ')}`);
  }
  return errors.length === 0 ? settings : null;
}

/** A line break at the end comes from pasting or from a secret file; nothing else is mended. */
function trimmed(value: object, where: string, warnings: string[]): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, setting]: [string, unknown]) => {
      if (typeof setting !== 'string' || !/[\r\n ]$/.test(setting)) return [key, setting];
      warnings.push(`${where}: ${key}: a blank or line break at its end was cut off`);
      return [key, setting.replace(/[\r\n ]+$/, '')];
    }),
  );
}

/** A suite and an AI bot get their tokens in other ways, which this version does not know. */
function hasCorpSecret({ kind = 'self-built', receiveId }: AppSettings): boolean {
  return kind === 'self-built' && receiveId !== '';
}

function appFrom(name: string, settings: AppSettings, next: Credentials | null, nackMode: NackMode): App {
  const credentials = [settings, ...(next ? [next] : [])].map(credentialsFrom);
  const defaultDeadline = settings.kind === 'third-party' ? THIRD_PARTY_DEADLINE_MS : DEADLINE_MS;
  return {
    name,
    credentials,
    receiveIds: [settings.receiveId, ...(settings.alsoReceiveIds ?? [])],
    envelope: settings.envelope ?? 'xml',
    deadlineMs: settings.deadlineMs ?? defaultDeadline,
    nackMode: settings.nackMode ?? nackMode,
    api: settings.secret === undefined ? null : { corpId: settings.receiveId, secret: settings.secret },
  };
}

function credentialsFrom({ token, encodingAESKey }: Credentials): AppCredentials {
  return { token, aesKey: decodeAesKey(encodingAESKey) };
}
