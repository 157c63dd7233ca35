import { WecomApi, WecomApiUnavailableError, type FollowRelation } from '../../../src/wecom-api/wecom-api.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';

/** What WeCom itself knows to be there now. */
export interface Truth {
  readonly asks: ReadonlySet<string>;
  hasFollowRelation(app: string, relation: FollowRelation): boolean;
  hasMember(app: string, userId: string): boolean;
}

export class SimWecomApi extends WecomApi {
  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly truth: Truth,
  ) {
    super();
  }

  override isConfigured(app: string): boolean {
    return this.truth.asks.has(app);
  }

  override hasFollowRelation(app: string, relation: FollowRelation, signal: AbortSignal): Promise<boolean> {
    return this.ask(() => this.truth.hasFollowRelation(app, relation), signal);
  }

  override hasMember(app: string, userId: string, signal: AbortSignal): Promise<boolean> {
    return this.ask(() => this.truth.hasMember(app, userId), signal);
  }

  private async ask(question: () => boolean, signal: AbortSignal): Promise<boolean> {
    const failure = (reason: string): Error => new WecomApiUnavailableError(reason);
    const call = { service: 'wecom-api' as const, label: 'wecom-api.ask', limitMs: 2_000, failure };
    const answer = await this.world.call<boolean>(this.life, call, (reply) => reply({ ok: question() }));
    signal.throwIfAborted();
    return answer;
  }
}
