import { CaseFailedError } from './verdict.js';

export const ADMIN_TOKEN = 'case-runner-admin-token-0123456789';

export interface AdminAnswer {
  readonly status: number;
  readonly json: any;
  readonly text: string;
}

/** The admin API as those use it whom a case names. */
export class AdminClient {
  private readonly tokens = new Map<string, Promise<string>>();

  /** As an operator of the name `user`, made when first named; without one, with all rights. */
  async ask(base: string, path: string, body?: unknown, user?: string): Promise<AdminAnswer> {
    const token = user === undefined ? ADMIN_TOKEN : await this.tokenOf(base, user);
    const response = await fetch(`${base}/admin/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: parsedOrNull(text) };
  }

  /** After the database was emptied nobody's token is good. */
  forget(): void {
    this.tokens.clear();
  }

  private tokenOf(base: string, user: string): Promise<string> {
    const known = this.tokens.get(user);
    if (known) return known;
    const made = this.makeToken(base, user);
    this.tokens.set(user, made);
    return made;
  }

  private async makeToken(base: string, name: string): Promise<string> {
    const body = { name, role: 'operator', permissions: ['payload'], expiresAt: null };
    const { status, json, text } = await this.ask(base, 'tokens', body);
    if (status !== 200) throw new CaseFailedError(`no token for ${name}: ${status} ${text}`);
    return String(json.token);
  }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
