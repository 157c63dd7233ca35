import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApps } from '../config/apps-file.js';
import type { App } from '../config/config.js';
import { say, type CliContext } from './cli-context.js';
import { UsageError } from './cli-errors.js';

export interface AppsOption {
  readonly apps?: string;
  readonly app?: string;
}

export interface LoadedApps {
  readonly path: string;
  readonly apps: ReadonlyMap<string, App>;
}

/** `--apps`, else WECOM_APPS_FILE, else the demo app's file in the data folder. Messages name files, never values. */
export function loadApps(context: CliContext, { apps: given }: AppsOption): LoadedApps {
  const { env } = context;
  const path = given ?? (env['WECOM_APPS_FILE'] || join(env['DATA_DIR'] || './data', 'demo.json'));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read the apps file ${path}: name it with --apps or WECOM_APPS_FILE`, { cause });
  }
  const { apps, faults, warnings } = parseApps(text, path, 'hang');
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  for (const warning of warnings) say(context, `warning: ${warning}`);
  return { path, apps };
}

/** The app of that name, or the only one. */
export function pickApp({ path, apps }: LoadedApps, name: string | undefined): App {
  const names = [...apps.keys()];
  const app = apps.get(name ?? (names.length === 1 ? String(names[0]) : ''));
  if (app) return app;
  const known = `${path} has: ${names.join(', ')}`;
  throw new UsageError(name === undefined ? `say which app with --app. ${known}` : `no app is named ${name}. ${known}`);
}
