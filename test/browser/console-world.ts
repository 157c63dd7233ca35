import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { GatewayProcess } from '../support/gateway-process.js';
import { runSimulator } from '../support/simulator-run.js';
import { ConsoleServer, type StandInUser } from './console-server.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export type LanguageName = 'en' | 'zh-CN';
export type ThemeName = 'light' | 'dark';

export interface Look {
  readonly language?: LanguageName;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
}

const USERS: Readonly<Record<string, StandInUser>> = {
  viewer: { name: 'wei', role: 'viewer', permissions: [] },
  operator: { name: 'olga', role: 'operator', permissions: ['payload'] },
  admin: { name: 'ada', role: 'admin', permissions: ['payload'] },
};

/** The service with what the simulator made of it, the console before it, and a browser. */
export class ConsoleWorld {
  private contexts: BrowserContext[] = [];

  private constructor(
    readonly gateway: GatewayProcess,
    readonly console: ConsoleServer,
    readonly browser: Browser,
    private readonly dataDir: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<ConsoleWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'wecom-console-'));
    const gateway = await GatewayProcess.start(dataDir, { RETRY_DELAYS: '200,200,200', ...env });
    const console = await ConsoleServer.start(gateway.adminBase, dataDir);
    const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
    return new ConsoleWorld(gateway, console, browser, dataDir);
  }

  /** Real events, some of which a handler fails on for good. */
  async simulate(count: number, failShare: number): Promise<void> {
    const { gateway, dataDir } = this;
    const { code, output } = await runSimulator([
      ...['--target', gateway.callbackBase, '--admin', gateway.adminBase, '--data', dataDir],
      ...['--count', String(count), '--duplicates', '1', '--shuffle', '--fail-share', String(failShare)],
      ...['--hang-up-share', '0', '--seed', '7'],
    ]);
    if (code !== 0) throw new Error(`the simulator ended with ${code}: ${output}`);
  }

  /** A page that nobody is signed in on. */
  async page({ language = 'en', theme = 'light', width = 1280, height = 900 }: Look = {}): Promise<Page> {
    const context = await this.browser.newContext({
      ...{ locale: language, colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce' },
    });
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return page;
  }

  /** The one place that knows how somebody signs in. */
  async signedIn(role: 'viewer' | 'operator' | 'admin', look: Look = {}): Promise<Page> {
    this.console.user = USERS[role] ?? null;
    return this.page(look);
  }

  url(path: string): string {
    return `${this.console.base}${path}`;
  }

  async closePages(): Promise<void> {
    for (const context of this.contexts) await context.close();
    this.contexts = [];
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.console.stop();
    await this.gateway.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
