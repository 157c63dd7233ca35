/** A leaf is always text, as WeCom wrote it: ids exceed 2^53 and begin with zeros. */
export type FieldValue = string | FieldTree | FieldValue[];

/** Fields by WeCom's own names. Has no prototype, so that an element named `__proto__` is plain data. */
export interface FieldTree {
  readonly [name: string]: FieldValue | undefined;
}

/** A decrypted, parsed callback. Shapes differ by family (reference, section 5.4); these are what all have in common. */
export interface WecomEvent {
  /** The tenant: first of AuthCorpId, PaidCorpId, CorpId, ToUserName, the receive id. */
  readonly corpId: string;
  /** `Event`, else `InfoType`, else `MsgType` (a message), as WeCom spells it. */
  readonly eventType: string;
  /** `ChangeType` or its sibling (`UpdateDetail` is not one: it refines `update`). Null when the family has none. */
  readonly changeType: string | null;
  /** `MsgId`, opaque text; null for classic events, which have no id. */
  readonly msgId: string | null;
  /** `CreateTime` or `TimeStamp`, in seconds since 1970; null when the body has no time. */
  readonly createTime: number | null;
  /** Everything in the body, below the root element. */
  readonly fields: FieldTree;
}
