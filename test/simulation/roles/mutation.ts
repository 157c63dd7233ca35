import type { World } from '../world/world.js';

/** What a mutant may replace. The names are those of the parts in `gateway.ts`, `worker.ts` and `operator.ts`. */
export type PartName =
  | 'guard'
  | 'transport'
  | 'disk'
  | 'unitOfWork'
  | 'eventLog'
  | 'sagas'
  | 'outbox'
  | 'claims'
  | 'publisher'
  | 'spool'
  | 'signatureGuard'
  | 'leases'
  | 'processor'
  | 'finisher'
  | 'failures'
  | 'known'
  | 'messageRunner'
  | 'rowRunner'
  | 'rowSteps'
  | 'pausedRows'
  | 'consumer'
  | 'effects'
  | 'retries'
  | 'sender'
  | 'deadLetters';

export interface Parts {
  readonly world: World;
  /** The parts made before this one. */
  readonly get: <T>(name: PartName) => T;
}

/** A wrong product: the right one with one part replaced or patched. The product itself is never touched. */
export interface Mutation {
  readonly name: string;
  readonly replace: Readonly<Partial<Record<PartName, (part: any, parts: Parts) => unknown>>>;
}

/** Hands every part to the mutant as it is made. */
export class Wiring {
  private readonly made = new Map<PartName, unknown>();

  constructor(
    private readonly world: World,
    private readonly mutation: Mutation | null,
  ) {}

  part<T>(name: PartName, made: T): T {
    const parts: Parts = { world: this.world, get: <U>(wanted: PartName) => this.made.get(wanted) as U };
    const replaced = this.mutation?.replace[name]?.(made, parts);
    const part = replaced === undefined ? made : (replaced as T);
    this.made.set(name, part);
    return part;
  }
}
