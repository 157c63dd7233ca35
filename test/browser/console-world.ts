import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { APPS } from '../support/admin-rig.js';
import { ADMIN_TOKEN } from '../support/config-sources.js';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { runSimulator } from '../support/simulator-run.js';
import { MendableApprovalHandler, MendableGroupHandler } from './mendable-handlers.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];
export const PASSWORD = 'correct horse battery';

export type Role = 'viewer' | 'operator' | 'admin';

/** Who is there to sign in. */
export const USERS = {
  viewer: { name: 'wei', role: 'viewer', permissions: [] },
  operator: { name: 'olga', role: 'operator', permissions: ['payload'] },
  admin: { name: 'ada', role: 'admin', permissions: ['payload'] },
} as const;

export interface Look {
  readonly language?: 'en' | 'zh-CN';
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** The whole service with handlers that can be mended, and a browser before its console. */
export class ConsoleWorld {
  private readonly contexts: BrowserContext[] = [];

  private constructor(
    readonly gateway: GatewayInProcess,
    readonly browser: Browser,
    private readonly appsFile: string,
    private readonly folder: string,
  ) {}

  static async start(): Promise<ConsoleWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-console-'));
    const appsFile = join(folder, 'apps.json');
    await writeFile(appsFile, JSON.stringify(APPS));
    // The simulator reads it where `npm start` would have put it.
    await writeFile(join(folder, 'admin-token'), ADMIN_TOKEN);
    const gateway = await GatewayInProcess.start(
      { WECOM_APPS_FILE: appsFile, RETRY_DELAYS: '600000' },
      { handlers: [MendableApprovalHandler, MendableGroupHandler] },
    );
    const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
    return new ConsoleWorld(gateway, browser, appsFile, folder);
  }

  /** Real events. What it says of the outcome is about handlers that work, so nobody asks. */
  async simulate(count: number): Promise<void> {
    const { gateway, folder, appsFile } = this;
    await runSimulator([
      ...['--target', gateway.callbackBase, '--admin', gateway.adminBase, '--data', folder],
      ...['--apps', appsFile, '--app', 'shop', '--count', String(count), '--duplicates', '1', '--shuffle'],
      ...['--hang-up-share', '0', '--settle-timeout', '5', '--seed', '7', '--concurrency', '8'],
    ]);
  }

  async addUsers(): Promise<void> {
    for (const user of Object.values(USERS)) {
      const { status } = await this.gateway.admin('users', { ...user, password: PASSWORD });
      if (status !== 200) throw new Error(`the account ${user.name} could not be made: ${status}`);
    }
  }

  /** A page on which nobody is signed in. */
  async page({ language = 'en', theme = 'light', width = 1280, height = 900 }: Look = {}): Promise<Page> {
    const context = await this.browser.newContext({
      ...{ locale: language, colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce' },
    });
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return page;
  }

  /** The one place that knows how somebody signs in. */
  async signedIn(role: Role, look: Look = {}): Promise<Page> {
    const page = await this.page(look);
    await page.goto(this.url('/password'));
    await page.locator('input[autocomplete=username]').fill(USERS[role].name);
    await page.locator('input[autocomplete=current-password]').fill(PASSWORD);
    await page.locator('button[type=submit]').click();
    await page.locator('nav').first().waitFor({ state: 'attached' });
    return page;
  }

  url(path: string): string {
    return `${this.gateway.adminBase}/console${path}`;
  }

  async closePages(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close();
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.gateway.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
