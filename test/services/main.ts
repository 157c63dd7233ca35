import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseCommand, UsageError, type Command, type ServiceName } from './command.js';
import { HELP } from './help-text.js';
import { planService, settingsLine } from './plan.js';
import { ServiceFailedError } from './service.js';
import { Services, type ServiceReport, type Surroundings } from './services.js';

const EXIT = { done: 0, failed: 1, usage: 2, notUp: 3 } as const;

export async function runServices(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await run(parseCommand(args), around);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ServiceFailedError)) throw error;
    console.error(error.message);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

async function run(command: Command, around: Surroundings): Promise<number> {
  const services = new Services(around);
  switch (command.kind) {
    case 'help':
      around.say(HELP);
      return EXIT.done;
    case 'install':
      await services.install(
        command.names.map((name) => planService(name, around.root, around.env)),
        command.yes,
      );
      return EXIT.done;
    case 'up':
      await services.up(command);
      return EXIT.done;
    case 'down':
      await services.down(command.names, command.withData);
      return EXIT.done;
    case 'status':
      return status(command.names, command.json, services, around);
  }
}

async function status(
  names: readonly ServiceName[],
  json: boolean,
  services: Services,
  around: Surroundings,
): Promise<number> {
  const reports = await Promise.all(names.map((name) => services.report(name)));
  if (json) around.say(JSON.stringify(reports, null, 2));
  else for (const report of reports) for (const line of linesOf(report)) around.say(line);
  return reports.every(({ state }) => state === 'up') ? EXIT.done : EXIT.notUp;
}

function linesOf({ name, state, layout, processes, settings }: ServiceReport): string[] {
  const head = `${name.padEnd(9)} ${state}${layout === null ? '' : ` (${layout})`}`;
  return [
    state === 'up' ? `${head}  ${settingsLine(settings)}` : head,
    ...processes.map(
      ({ name: process, pid, isRunning, ports, log }) =>
        `  ${process}: ${isRunning ? `process ${pid}` : `process ${pid} is gone`}, ports ${ports.join(', ')}, log ${log}`,
    ),
  ];
}

const root = resolve(process.env['SERVICES_DIR'] ?? '.services');
process.exitCode = await runServices(process.argv.slice(2), {
  ...{ root, env: process.env, say: console.log },
  composeText: readFileSync('docker-compose.yml', 'utf8'),
});
