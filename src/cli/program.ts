import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { ChangeAction, ChangeOptions } from './change-events.js';
import type { CheckOptions } from './check.js';
import type { CliContext, JsonOption } from './cli-context.js';
import type { DecryptOptions } from './decrypt.js';
import type { FindOptions } from './find.js';
import type { HandlersOptions } from './handlers.js';
import type { MigrateOptions } from './migrate.js';
import type { HandlerMove, MoveHandlerOptions } from './move-handler.js';
import { baseUrl, collected, timeText, wholeNumber } from './option-values.js';
import type { TailOptions } from './tail.js';
import type { VerifyOptions } from './verify.js';

export const PROGRAM = 'wecom-callback-gateway';

/**
 * Every command with its options. What a command does is loaded when it is called, so that the others start at once: a
 * test sees that this file leads to nothing but commander.
 */
export function program(context: CliContext, end: (exitCode: number) => void): Command {
  const top = new Command(PROGRAM)
    .description('Checks, looks into and operates a wecom-callback-gateway. Exit codes: docs/cli.md')
    .version(version(), '--version', 'shows the version')
    .enablePositionalOptions()
    .helpCommand(false);
  addCheck(top, context, end);
  addVerify(top, context, end);
  addDecrypt(top, context, end);
  addTail(top, context);
  addFind(top, context, end);
  addChange(top, 'redrive', context, end);
  addChange(top, 'discard', context, end);
  addHandlers(top, context, end);
  addMoveHandler(top, 'pause', context, end);
  addMoveHandler(top, 'resume', context, end);
  addSimulate(top, context, end);
  addMigrate(top, context, end);
  addStart(top);
  return top;
}

/** From the package's own file, which lies elsewhere in a checkout than beside what was built. */
function version(): string {
  for (const path of ['../../../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
        string,
        string
      >;
      if (name === PROGRAM && version !== undefined) return version;
    } catch {
      // Not there: the other one is.
    }
  }
  return 'unknown';
}

type End = (exitCode: number) => void;

const ID_MAX = Number.MAX_SAFE_INTEGER;

function json(command: Command, description = 'one JSON document on standard output'): Command {
  return command.option('--json', description);
}

function admin(command: Command): Command {
  return command.option('--admin <url>', 'admin address of the service ($ADMIN_URL, else from $ADMIN_PORT)', baseUrl);
}

function apps(command: Command): Command {
  return command
    .option('--apps <file>', 'apps file ($WECOM_APPS_FILE, else demo.json in $DATA_DIR)')
    .option('--app <name>', 'the app; not needed where the URL names it, or the file has one');
}

/** By the names of the admin API. */
function filters(command: Command): Command {
  return command
    .option('--app <name>', 'the receiver: name of the app whose URL was called')
    .option('--corp-id <id>', 'the tenant')
    .option('--event-type <type>', 'as WeCom spells it: sys_approval_change, …')
    .option('--change-type <type>', 'as WeCom spells it: add_external_contact, …')
    .option('--entity-key <key>', 'of the business object')
    .option('--event-key <key>', 'the idempotency key of the event')
    .option('--msg-id <id>', 'WeCom’s MsgId')
    .option('--sp-no <number>', 'approval number (审批单号)')
    .option('--external-user-id <id>', 'customer (外部联系人)')
    .option('--chat-id <id>', 'customer group (客户群)')
    .option('--user-id <id>', 'member (成员)')
    .option('--wecom-id <id>', 'any of WeCom’s ids')
    .option('--error-code <code>', 'such as HANDLER_FAILED')
    .option('--error-group <group>', 'of dead-letters/groups')
    .option('--text <text>', 'part of the plaintext; slow')
    .option('--status <status>', 'outcome or waiting status; several with commas, or given again', collected)
    .option('--from <time>', 'received at or after: 2h (ago), ISO time with a zone, milliseconds', timeText)
    .option('--to <time>', 'received before', timeText);
}

function addCheck(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('check')
    .description('Reads the settings as the start does, and says what each part would be. Changes nothing.')
    .option('--connect', 'tries the engines too')
    .option('--timeout <ms>', 'longest wait for an engine', wholeNumber(100, 120_000), 5_000);
  json(command).action(async (options: CheckOptions) =>
    end(await (await import('./check.js')).check(context, options)),
  );
}

function addVerify(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('verify')
    .description('Verifies a callback URL as WeCom does, and says exactly what is wrong with the answer.')
    .argument('<url>', 'as entered in WeCom’s console');
  apps(command).option('--timeout <ms>', 'longest wait for an answer', wholeNumber(100, 60_000), 5_000);
  json(command).action(async (url: string, options: VerifyOptions) =>
    end(await (await import('./verify.js')).verify(context, url, options)),
  );
}

function addDecrypt(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('decrypt')
    .description('Checks and opens a captured callback; the plaintext goes to standard output.')
    .argument('[file]', 'its body, or the whole HTTP request; - is standard input', '-')
    .option('--query <query>', 'its query or URL, for the signature: msg_signature=…&timestamp=…&nonce=…');
  json(apps(command)).action(async (file: string, options: DecryptOptions) =>
    end(await (await import('./decrypt.js')).decrypt(context, file, options)),
  );
}

function addTail(top: Command, context: CliContext): void {
  const command = top
    .command('tail')
    .description('Shows decisions as they are made, until it is stopped.')
    .option('--lines <n>', 'decisions from before, at first', wholeNumber(0, 1_000), 10)
    .option('--after <id>', 'from the decision after this one, instead of --lines', wholeNumber(0, ID_MAX))
    .option('--interval <ms>', 'how often it asks', wholeNumber(100, 60_000), 1_000)
    .option('--app <name>', 'of this app only')
    .option('--event-type <type>', 'of this type only')
    .option('--entity-key <key>', 'of this business object only')
    .option('--decision <decision>', 'APPLIED, DEAD, …; several with commas, or given again', collected);
  json(admin(command), 'one JSON object a line on standard output').action(async (options: TailOptions) =>
    (await import('./tail.js')).tail(context, options),
  );
}

function addFind(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('find')
    .description('Finds events, newest received first.')
    .option('--id <id>', 'the event of this id, with its history', wholeNumber(0, ID_MAX))
    .option('--history', 'every decision about each event, with its reason')
    .option('--limit <n>', 'at most so many events', wholeNumber(1, 10_000), 50);
  json(admin(filters(command))).action(async (options: FindOptions) =>
    end(await (await import('./find.js')).find(context, options)),
  );
}

const CHANGES: Readonly<Record<ChangeAction, string>> = {
  redrive: 'Has dead letters run again, and waits for what becomes of them. A dry run goes first.',
  discard: 'Ends waiting events without an effect, for good. A dry run goes first.',
};

function addChange(top: Command, action: ChangeAction, context: CliContext, end: End): void {
  const command = top
    .command(action)
    .description(CHANGES[action])
    .argument('[ids...]', 'ids of events, as find shows them; or use a filter')
    .option('--all', 'every dead letter')
    .option('--dry-run', 'only says what would become of each; the job then waits for --start')
    .option('--rate <n>', 'events a second', wholeNumber(1, 1_000), 50)
    .option('--job <id>', 'a job that exists: waits for it and reports', wholeNumber(1, ID_MAX))
    .option('--start', 'starts the job after its dry run')
    .option('--pause', 'pauses the job')
    .option('--resume', 'resumes the job')
    .option('--cancel', 'cancels the job; what it has done stays done');
  if (action === 'discard')
    command
      .option('--reason <text>', 'why, for the audit; must be given')
      .option('--yes', 'does it: a discard is for good');
  else
    command
      .option('--reason <text>', 'why, for the audit')
      .option('--wait <s>', 'longest wait for what becomes of the redriven', wholeNumber(0, 86_400), 60);
  json(admin(filters(command))).action(async (ids: string[], options: ChangeOptions) =>
    end(await (await import('./change-events.js')).changeEvents(context, action, ids, options)),
  );
}

function addHandlers(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('handlers')
    .description('Lists which handler takes which event, how that went of late, and which are paused.');
  json(admin(command)).action(async (options: HandlersOptions) =>
    end(await (await import('./handlers.js')).handlers(context, options)),
  );
}

const MOVES: Readonly<Record<HandlerMove, { readonly does: string; readonly why: string }>> = {
  pause: {
    does: 'Pauses one handler: its events wait, at no cost of an attempt, until it is resumed.',
    why: 'why, for the audit and for whoever finds it paused; must be given',
  },
  resume: { does: 'Resumes a handler that was paused, and wakes what waits for it.', why: 'why, for the audit' },
};

function addMoveHandler(top: Command, move: HandlerMove, context: CliContext, end: End): void {
  const command = top
    .command(move)
    .description(MOVES[move].does)
    .argument('<handler>', 'its name, as handlers shows it')
    .option('--reason <text>', MOVES[move].why);
  json(admin(command)).action(async (handler: string, options: MoveHandlerOptions) =>
    end(await (await import('./move-handler.js')).moveHandler(context, move, handler, options)),
  );
}

/** Its flags are read by the simulator itself. */
function addSimulate(top: Command, context: CliContext, end: End): void {
  top
    .command('simulate')
    .description('Plays WeCom against a running service and audits the result. Flags: simulate --help')
    .argument('[flags...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (flags: string[]) => end(await (await import('./simulate.js')).simulate(context, flags)));
}

function addMigrate(top: Command, context: CliContext, end: End): void {
  const command = top
    .command('migrate')
    .description('Brings the tables of the database up to this version.')
    .option('--status', 'lists what is done and lacking; changes nothing')
    .option('--down', 'takes the last migration back, and with it what its tables hold');
  json(command).action(async (options: MigrateOptions) =>
    end(await (await import('./migrate.js')).migrate(context, options)),
  );
}

function addStart(top: Command): void {
  const command = top.command('start').description('Starts the service, as npm start does.');
  json(command, 'the log as JSON lines, at a terminal too').action(async (options: JsonOption) =>
    (await import('./start.js')).start(options),
  );
}
