import { Injectable } from '@nestjs/common';

export interface PartHealth {
  readonly status: 'up' | 'degraded' | 'down';
  /** Since when it is not up, milliseconds since 1970. */
  readonly since?: number;
  readonly reason?: string;
}

/**
 * A part of the process that can be well or ill. `down` means that this role cannot do its job; what it can do without
 * is `degraded`. `check` answers at once and never throws: a part that hangs must not hang the probe.
 */
export interface HealthPart {
  readonly name: string;
  check(): PartHealth;
}

/** Each module registers its own parts; readiness knows none of them by name. */
@Injectable()
export class HealthRegistry {
  private readonly parts: HealthPart[] = [];
  private stopping = false;

  register(part: HealthPart): void {
    this.parts.push(part);
  }

  /** Readiness goes off first when the process stops, before anything refuses work. */
  stop(): void {
    this.stopping = true;
  }

  check(): { ready: boolean; parts: Record<string, PartHealth> } {
    const parts = Object.fromEntries(this.parts.map((part) => [part.name, part.check()]));
    if (this.stopping) parts['process'] = { status: 'down', reason: 'shutting down' };
    return { ready: Object.values(parts).every(({ status }) => status !== 'down'), parts };
  }
}

/** Most parts know since when they are in trouble, or that they are not. */
export function healthOf(
  trouble: { since: number; reason: string } | null,
  whenTroubled: 'degraded' | 'down',
): PartHealth {
  return trouble ? { status: whenTroubled, ...trouble } : { status: 'up' };
}
