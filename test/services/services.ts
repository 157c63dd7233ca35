import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command, ServiceName } from './command.js';
import { DockerService, developmentFile, dockerAnswers, imageOf } from './docker-compose.js';
import { install } from './installer.js';
import { planService, settingsLine } from './plan.js';
import { isFree } from './ports.js';
import { ServiceFailedError, type Service } from './service.js';
import { pause, Supervisor, type ProcessRecord } from './supervisor.js';

const POLL_MS = 200;

export type ServiceState = 'up' | 'down' | 'gone' | 'not ready';

export interface ServiceReport {
  readonly name: ServiceName;
  /** `gone`: it was started and has ended by itself or by somebody else. */
  readonly state: ServiceState;
  readonly layout: string | null;
  readonly processes: readonly {
    name: string;
    pid: number;
    isRunning: boolean;
    ports: readonly number[];
    log: string;
  }[];
  readonly settings: Readonly<Record<string, string>>;
}

export interface Surroundings {
  /** The folder of all services. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  /** docker-compose.yml, which says what images are used. */
  readonly composeText: string;
}

type Up = Extract<Command, { kind: 'up' }>;

/** Brings services up, takes them down and tells of them: containers where Docker is there, else processes. */
export class Services {
  private docker: Promise<boolean> | null = null;

  constructor(private readonly around: Surroundings) {}

  async up(command: Up): Promise<void> {
    const services = command.names.map((name) => planService(name, this.around.root, this.around.env, command));
    const images = new Map<ServiceName, string>();
    for (const service of services) {
      const image = await this.imageFor(service, command.isNative);
      if (image !== null) images.set(service.name, image);
    }
    await this.install(
      services.filter(({ name }) => !images.has(name)),
      command.yes,
    );
    for (const service of services) {
      const supervisor = new Supervisor(service.folder);
      const image = images.get(service.name);
      await supervisor.alone(() =>
        image === undefined ? this.bringUp(service, supervisor) : this.bringUpContainer(service, image),
      );
    }
  }

  install(services: readonly Service[], yes: boolean): Promise<void> {
    return install(services, yes, this.around.say);
  }

  async down(names: readonly ServiceName[], withData: boolean): Promise<void> {
    for (const name of names) {
      const folder = join(this.around.root, name);
      const supervisor = new Supervisor(folder);
      const ends = await supervisor.alone(async () => {
        const records = await supervisor.records();
        const container = new DockerService(folder, name);
        if (!container.isChosen && !withData) return Promise.all(records.map((record) => supervisor.end(record)));
        const wasChosen = container.isChosen;
        await container.end(withData);
        const ended = await Promise.all(records.map((record) => supervisor.end(record)));
        return wasChosen ? ['ended' as const, ...ended] : ended;
      });
      if (withData) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      const what = ends.length === 0 ? 'was not up' : ends.includes('ended') ? 'is down' : 'was gone';
      this.around.say(`${name} ${what}${withData ? ', its data are removed' : ''}`);
    }
  }

  async report(name: ServiceName): Promise<ServiceReport> {
    const supervisor = new Supervisor(join(this.around.root, name));
    const records = await supervisor.records();
    const processes = await Promise.all(
      records.map(async (record) => ({
        ...{ name: record.name, pid: record.pid, isRunning: await supervisor.runs(record) },
        ...{ ports: record.ports, log: record.log },
      })),
    );
    const container = new DockerService(join(this.around.root, name), name);
    if (container.isChosen) return this.containerReport(name, container);
    const layout = records[0]?.layout ?? null;
    const service = planService(name, this.around.root, this.around.env, variantOf(layout));
    if (records.length === 0) return { name, state: 'down', layout: null, processes: [], settings: service.settings };
    const isComplete = processes.every(({ isRunning }) => isRunning);
    const state = !isComplete ? 'gone' : (await service.isReady()) ? 'up' : 'not ready';
    return { name, state, layout, processes, settings: service.settings };
  }

  private async containerReport(name: ServiceName, container: DockerService): Promise<ServiceReport> {
    const service = planService(name, this.around.root, this.around.env);
    const isRunning = await container.isRunning();
    const state = !isRunning ? 'gone' : (await service.isReady()) ? 'up' : 'not ready';
    return { name, state, layout: 'container', processes: [], settings: service.settings };
  }

  /** Null: not by Docker. What runs already stays what it is. */
  private async imageFor(service: Service, isNative: boolean): Promise<string | null> {
    if (isNative || !['single', '1 broker'].includes(service.layout)) return null;
    const supervisor = new Supervisor(service.folder);
    for (const record of await supervisor.records()) if (await supervisor.runs(record)) return null;
    const image = imageOf(this.around.composeText, service.name);
    if (image === null || developmentFile(service.name, image, 1) === null) return null;
    this.docker ??= dockerAnswers();
    return (await this.docker) ? image : null;
  }

  private async bringUpContainer(service: Service, image: string): Promise<void> {
    const container = new DockerService(service.folder, service.name);
    const wasUp = container.isChosen && (await container.isRunning());
    if (!wasUp) {
      await this.checkPorts(service, 1);
      await container.start(service, image);
    }
    const deadline = performance.now() + service.readyLimitMs;
    while (!(await service.isReady())) {
      if (performance.now() > deadline)
        throw new ServiceFailedError(`${service.name} is not ready: ${await container.logTail()}`);
      await pause(POLL_MS);
    }
    const did = wasUp ? 'was up' : 'is up';
    this.around.say(`${service.name} ${did} (${image}): ${settingsLine(service.settings)}`);
  }

  private async bringUp(service: Service, supervisor: Supervisor): Promise<void> {
    const records = await supervisor.records();
    const running: ProcessRecord[] = [];
    for (const record of records) {
      if (await supervisor.runs(record)) running.push(record);
      // Whoever has that id now is none of ours.
      else await supervisor.forget(record);
    }
    const other = running.find(({ layout }) => layout !== service.layout);
    if (other !== undefined)
      throw new ServiceFailedError(
        `${service.name} runs as ${other.layout}: take it down first (down ${service.name})`,
      );
    const isNew = running.length === 0;
    if (isNew) await this.checkPorts(service);
    const started = [...running];
    try {
      for (const plan of await service.prepare()) {
        if (running.some(({ name }) => name === plan.name)) continue;
        started.push(await supervisor.start(plan, service.layout));
      }
      await this.waitUntilReady(service, supervisor, started);
      await service.complete();
    } catch (error) {
      // What ran before stays: this command has not started it.
      for (const record of started.filter((one) => !running.includes(one))) await supervisor.end(record);
      throw error;
    }
    const did = started.length === running.length ? 'was up' : 'is up';
    this.around.say(`${service.name} ${did} (${service.layout}): ${settingsLine(service.settings)}`);
  }

  /** A container publishes the first one only. */
  private async checkPorts(service: Service, count = service.ports.length): Promise<void> {
    for (const port of service.ports.slice(0, count)) {
      if (!(await isFree(port)))
        throw new ServiceFailedError(
          `port ${port} of ${service.name} is in use by another program: stop it, or choose another by ` +
            `SERVICES_${service.name.toUpperCase()}_PORT`,
        );
    }
  }

  private async waitUntilReady(
    service: Service,
    supervisor: Supervisor,
    records: readonly ProcessRecord[],
  ): Promise<void> {
    const deadline = performance.now() + service.readyLimitMs;
    for (;;) {
      for (const record of records) {
        if (!(await supervisor.runs(record)))
          throw new ServiceFailedError(`${record.name} ended\n${await supervisor.logTail(record)}\n(${record.log})`);
      }
      if (await service.isReady()) return;
      if (performance.now() > deadline) {
        const tails = await Promise.all(records.map((record) => supervisor.logTail(record)));
        throw new ServiceFailedError(
          `${service.name} is not ready within ${service.readyLimitMs} ms\n${tails.join('\n')}`,
        );
      }
      await pause(POLL_MS);
    }
  }
}

/** The way of running that a record names. */
function variantOf(layout: string | null): { brokers: number; redis: 'single' | 'cluster' | 'sentinel' } {
  const brokers = Number(/^(\d) broker/.exec(layout ?? '')?.[1] ?? 1);
  return { brokers, redis: layout === 'cluster' || layout === 'sentinel' ? layout : 'single' };
}
