/** Whom a question is about; ids as the app that asks knows them, since they differ from app to app. */
export interface FollowRelation {
  readonly userId: string;
  readonly externalUserId: string;
}

/**
 * WeCom's HTTP API, as far as events cannot tell by themselves. It is slow, limited in calls and may be away: never call
 * it inside a transaction. All questions are reads, so asking again is harmless. They reject with
 * - `WecomApiUnavailableError`: no answer, busy, too many calls. The same question may work later.
 * - `WecomApiRefusedError`: no right to ask, a wrong secret. Asking again cannot help before somebody changes a setting.
 * - the signal's reason.
 */
export abstract class WecomApi {
  /** Whether the app has credentials for the API. Answers at once, and the same way for the life of the process. */
  abstract isConfigured(app: string): boolean;

  /**
   * Whether the customer is in the member's list. A customer who deleted the member still is
   * (reference, section 10.2).
   */
  abstract hasFollowRelation(app: string, relation: FollowRelation, signal: AbortSignal): Promise<boolean>;

  abstract hasMember(app: string, userId: string, signal: AbortSignal): Promise<boolean>;
}

export class WecomApiUnavailableError extends Error {
  readonly code = 'WECOM_API_UNAVAILABLE';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(`WeCom's API is not available: ${reason}`, options);
    this.name = 'WecomApiUnavailableError';
  }
}

export class WecomApiRefusedError extends Error {
  readonly code = 'WECOM_API_REFUSED';

  constructor(
    readonly app: string,
    readonly errcode: number,
  ) {
    // WeCom's own text would name the caller's address, and changes without notice.
    super(`WeCom's API refuses ${app} with errcode ${errcode}`);
    this.name = 'WecomApiRefusedError';
  }
}
