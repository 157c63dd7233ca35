import { WecomApi, type FollowRelation } from '../../src/wecom-api/wecom-api.js';

/** WeCom as a test wants it to be: who is there, and what goes wrong next. */
export class MemoryWecomApi extends WecomApi {
  readonly members = new Set<string>();
  readonly relations = new Set<string>();
  /** Questions in the order in which they were asked. */
  readonly asked: string[] = [];
  /** Taken one by one: what the next questions reject with. */
  readonly failures: Error[] = [];
  /** Runs before each answer: what happens while the question is on its way. */
  onQuestion: () => Promise<void> = async () => undefined;

  constructor(private readonly apps: readonly string[]) {
    super();
  }

  override isConfigured(app: string): boolean {
    return this.apps.includes(app);
  }

  override async hasFollowRelation(
    app: string,
    { userId, externalUserId }: FollowRelation,
    signal: AbortSignal,
  ): Promise<boolean> {
    await this.question(`${app}: ${userId}/${externalUserId}`, signal);
    return this.relations.has(`${userId}/${externalUserId}`);
  }

  override async hasMember(app: string, userId: string, signal: AbortSignal): Promise<boolean> {
    await this.question(`${app}: ${userId}`, signal);
    return this.members.has(userId);
  }

  private async question(text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.asked.push(text);
    await this.onQuestion();
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}
