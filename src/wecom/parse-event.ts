import { BINARY_PREFIX } from './cipher.js';
import { listShapeOf } from './event-catalogue.js';
import type { WecomEvent } from './event.js';
import { toFields } from './fields.js';
import { parseJson } from './json.js';
import { isNull, type ParseFailure, type TreeNode } from './tree.js';
import { parseXml } from './xml.js';

export interface ParsedEvent {
  readonly kind: 'event';
  readonly event: WecomEvent;
  readonly format: 'xml' | 'json';
  /** The body before normalisation; the event key is made from it. */
  readonly root: TreeNode;
}

/** WeCom's text all the same: it is queued as it is and becomes a dead letter. */
export interface Unparsed {
  readonly kind: 'unparsed';
  readonly reason: ParseFailure;
}

export type ParsedPlaintext = ParsedEvent | Unparsed;

/** The event type of a text that does not parse. */
export const UNPARSED_EVENT_TYPE = 'unparsed';

interface EventHead {
  readonly corpId: string;
  readonly eventType: string;
  readonly msgId: string | null;
  readonly createTime: number | null;
}

const TENANT_FIELDS = ['AuthCorpId', 'PaidCorpId', 'CorpId', 'ToUserName'];
const FIRST_NON_BLANK = /[^ \t\r\n]/;

// Eleven digits and more are milliseconds. As seconds they would lie far ahead, and every later event of the same
// entity would be stale.
const UNIX_SECONDS = /^\d{1,10}$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Pure, so gateway and worker read the same event from one plaintext. `receiveId` is the last resort for the tenant; a
 * worker passes the message's corp id, which this function once returned. Never throws.
 */
export function parseEvent(plaintext: string, receiveId: string): ParsedPlaintext {
  if (plaintext.startsWith(BINARY_PREFIX)) return unparsed('not-utf8');
  const text = plaintext.startsWith('\ufeff') ? plaintext.slice(1) : plaintext;
  const first = FIRST_NON_BLANK.exec(text)?.[0];
  if (first === undefined) return unparsed('empty');
  const format = first === '<' ? 'xml' : 'json';
  const tree = format === 'xml' ? parseXml(text) : parseJson(text);
  if (!tree.ok) return unparsed(tree.reason);
  const { root } = tree;
  if (format === 'xml' ? root.name !== 'xml' : root.kind !== 'object') return unparsed('wrong-root');

  const head = format === 'xml' ? readHead(root, receiveId) : readJsonHead(root, receiveId);
  if (head === null) return unparsed('no-event-type');
  const changeType = textAt(root, 'ChangeType');
  const fields = toFields(root, listShapeOf(head.eventType, changeType));
  return { kind: 'event', event: { ...head, changeType, fields }, format, root };
}

/** `Event`, else `InfoType`, else the `MsgType` of a message. */
function readHead(root: TreeNode, receiveId: string): EventHead | null {
  const happening = textAt(root, 'Event') ?? textAt(root, 'InfoType');
  const msgType = textAt(root, 'MsgType');
  const isMessage = happening === null && msgType !== 'event';
  const eventType = isMessage ? msgType : happening;
  if (eventType === null) return null;
  return {
    corpId: tenantOf(root, receiveId),
    eventType,
    // Only a message is named by its MsgId. An event that carries one tells of that message, perhaps several times.
    msgId: isMessage ? textAt(root, 'MsgId') : null,
    createTime: secondsOf(textAt(root, 'CreateTime') ?? textAt(root, 'TimeStamp')),
  };
}

/** JSON bodies are the AI bot's (path/100719), those of payments (path/97478), or the XML ones spelled as JSON. */
function readJsonHead(root: TreeNode, receiveId: string): EventHead | null {
  const msgType = textAt(root, 'msgtype');
  const createTime = secondsOf(textAt(root, 'create_time'));
  if (msgType !== null) {
    const eventType = msgType === 'event' ? textAt(childOf(root, 'event'), 'eventtype') : msgType;
    if (eventType === null) return null;
    const corpId = textAt(childOf(root, 'from'), 'corpid') ?? tenantOf(root, receiveId);
    return { corpId, eventType, msgId: textAt(root, 'msgid'), createTime };
  }
  const paymentType = textAt(root, 'event_type');
  if (paymentType === null) return readHead(root, receiveId);
  return { corpId: tenantOf(root, receiveId), eventType: paymentType, msgId: textAt(root, 'id'), createTime };
}

function tenantOf(root: TreeNode, receiveId: string): string {
  for (const name of TENANT_FIELDS) {
    const corpId = textAt(root, name);
    if (corpId !== null) return corpId;
  }
  return receiveId;
}

function secondsOf(text: string | null): number | null {
  if (text === null) return null;
  if (UNIX_SECONDS.test(text)) return Number(text);
  const milliseconds = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}

/** Null for what is missing, empty, repeated or has elements inside: none of these can name an event. */
function textAt(node: TreeNode | null, name: string): string | null {
  const child = node === null ? null : childOf(node, name);
  return child === null || child.text === '' || isNull(child) ? null : child.text;
}

function childOf(node: TreeNode, name: string): TreeNode | null {
  let found: TreeNode | null = null;
  for (const child of node.children) {
    if (child.name !== name) continue;
    if (found !== null) return null;
    found = child;
  }
  return found;
}

function unparsed(reason: ParseFailure): Unparsed {
  return { kind: 'unparsed', reason };
}
