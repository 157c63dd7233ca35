/** Which parts of the service a process may run: one row a role, so that nothing else asks for a role by its name. */
export const ROLES = ['all', 'gateway', 'worker', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface RoleParts {
  /** WeCom's callbacks on PORT, and the spool behind them. */
  readonly callbacks: boolean;
  /** Consumers, retries, outbox relay, purge; and with them the handlers. */
  readonly worker: boolean;
  /** The admin API on ADMIN_PORT. Health and metrics are there in every role. */
  readonly admin: boolean;
  /** A gateway opens no connection to the database, so that no outage of it delays an answer. */
  readonly database: boolean;
  /** What an operator has run again goes through its row: nothing of it needs the transport. */
  readonly transport: boolean;
}

const PARTS: Readonly<Record<Role, RoleParts>> = {
  all: { callbacks: true, worker: true, admin: true, database: true, transport: true },
  gateway: { callbacks: true, worker: false, admin: false, database: false, transport: true },
  worker: { callbacks: false, worker: true, admin: false, database: true, transport: true },
  admin: { callbacks: false, worker: false, admin: true, database: true, transport: false },
};

export function partsOf(role: Role): RoleParts {
  return PARTS[role];
}

/** What the rules below have to know of an engine: can several processes work on it at once? */
export interface EngineChoice {
  readonly name: string;
  readonly isShared: boolean;
}

export interface RoleChoice {
  readonly role: Role;
  readonly guard: EngineChoice;
  readonly store: EngineChoice;
  readonly transport: EngineChoice;
}

/** Choices that cannot work, whatever else is set. Each sentence says why, and what to do instead. */
export function roleFaults({ role, transport }: RoleChoice): string[] {
  if (role === 'all' || !partsOf(role).transport || transport.isShared) return [];
  const why = `another process cannot read the queue that this process keeps with TRANSPORT=${transport.name}`;
  return [`ROLE: ${role} cannot work alone: ${why}; use ROLE=all, or a transport that processes share`];
}

/** Choices that work, but seldom as they were meant. */
export function roleWarnings({ role, guard, store }: RoleChoice): string[] {
  if (role === 'all') return [];
  const { database, transport } = partsOf(role);
  const warnings: string[] = [];
  if (transport && !guard.isShared) {
    const effect = 'each process remembers only what it saw itself, so duplicates are shed by the database alone';
    warnings.push(`ROLE=${role} with GUARD=${guard.name}: ${effect}; use GUARD=redis`);
  }
  if (database && !store.isShared) {
    const effect = 'its file serves one process, so this one sees only the data of a service that has been stopped';
    warnings.push(`ROLE=${role} with STORE=${store.name}: ${effect}`);
  }
  return warnings;
}
