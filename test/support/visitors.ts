import { expect } from 'vitest';
import { AdminBrowser, type Answer } from './admin-browser.js';
import type { AdminRig } from './admin-rig.js';
import { ADMIN_TOKEN } from './config-sources.js';

export const PASSWORD = 'correct horse battery';

export async function statusOf(answer: Promise<Answer>): Promise<number> {
  return (await answer).status;
}

/** People and machines that come to the admin port of the rig that is there by then. */
export function visitorsOf(rig: () => AdminRig) {
  const browser = (headers: Record<string, string> = {}): AdminBrowser =>
    new AdminBrowser(rig().gateway.adminBase, headers);
  const machine = (token = ADMIN_TOKEN): AdminBrowser => browser({ authorization: `Bearer ${token}` });
  return {
    browser,
    /** Without a token: the one of the settings. */
    machine,
    /** A new account, logged in. */
    user: async (name: string, role: string, permissions: string[] = []): Promise<AdminBrowser> => {
      await machine().call('POST', 'users', { name, role, permissions, password: PASSWORD });
      const visitor = browser();
      expect((await visitor.login(name, PASSWORD)).status).toBe(200);
      return visitor;
    },
    /** Newest first. */
    audited: async (action: string): Promise<any[]> =>
      (await machine().call('GET', `audit?action=${action}`)).json.items,
  };
}
