import 'reflect-metadata';
import { ConfigError, type Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { lookingConfigSources } from '../config/system-config-sources.js';
import { say, writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { describeConfig } from './describe-config.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { printable, table } from './printable.js';

export interface CheckOptions extends JsonOption {
  readonly connect?: boolean;
  readonly timeout: number;
}

export interface Probe {
  readonly part: string;
  /** `ok`; `wrong`: it answers, but the service could not work with it; `unreachable`. */
  readonly result: 'ok' | 'wrong' | 'unreachable';
  readonly reason: string;
}

/** Reads the settings as the start does, and changes nothing. With `--connect` it also tries the engines. */
export async function check(context: CliContext, options: CheckOptions): Promise<ExitCode> {
  const read = readConfig(context);
  if (read.config === null) {
    const { faults } = read;
    if (options.json) writeJson(context, { ok: false, faults, warnings: [], parts: {}, engines: [] });
    else writeLines(context, ['The settings are not right:', ...faults.map((fault) => `  - ${printable(fault)}`)]);
    return EXIT.notSo;
  }
  const { config } = read;
  const engines = options.connect ? await probe(context, config, options.timeout) : [];
  const ok = engines.every(({ result }) => result === 'ok');
  const parts = describeConfig(config);
  if (options.json) writeJson(context, { ok, faults: [], warnings: config.warnings, parts, engines });
  else {
    const rows = Object.entries(parts).flatMap(([part, lines]) =>
      lines.map((line, at) => [at === 0 ? part : '', printable(line)]),
    );
    const tried = engines.map(({ part, result, reason }) => [part, result, printable(reason)]);
    writeLines(context, [...table(rows), ...(tried.length > 0 ? ['', ...table(tried)] : [])]);
    for (const warning of config.warnings) say(context, `warning: ${printable(warning)}`);
    say(context, ok ? 'The settings are right.' : 'The settings can be read, but an engine is not as it should be.');
  }
  if (ok) return EXIT.ok;
  return engines.some(({ result }) => result === 'wrong') ? EXIT.notSo : EXIT.unreachable;
}

function readConfig({ env, random }: CliContext): { config: Config } | { config: null; faults: readonly string[] } {
  try {
    return { config: loadConfig(lookingConfigSources(env, random)) };
  } catch (error) {
    if (error instanceof ConfigError) return { config: null, faults: error.faults };
    throw error;
  }
}

/** Loaded when it is needed: it brings every engine's client. */
async function probe(context: CliContext, config: Config, timeoutMs: number): Promise<Probe[]> {
  const { probeEngines } = await import('./probe-engines.js');
  return probeEngines(context, config, timeoutMs);
}
