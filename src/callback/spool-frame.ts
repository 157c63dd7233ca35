import { crc32 } from 'node:zlib';
import type { SpooledMessage } from './spool.js';

/*
 * A frame on the disk, numbers big-endian:
 *   0  version byte   1  payload length (4)   5  CRC-32 of all the rest (4)   9  sequence (8)   17  appended at, ms (double)
 *   25 payload: [topic, orderingKey, body] as JSON, which also keeps text that UTF-8 cannot hold (lone surrogates).
 */
const VERSION = 0xd1;
// Other values of this half byte are other versions: never garbage, so never cut away (a newer gateway wrote them).
const VERSION_FAMILY = 0xd0;
const LENGTH_AT = 1;
const CRC_AT = 5;
const SEQUENCE_AT = 9;
const APPENDED_AT = 17;
const PAYLOAD_AT = 25;

export interface StoredFrame {
  readonly sequence: number;
  readonly appendedAt: number;
  readonly payload: Buffer;
}

export interface SegmentScan {
  /** All intact frames, also those behind a damaged place. */
  readonly frames: readonly StoredFrame[];
  /** Where the last intact frame ends. */
  readonly goodBytes: number;
  /** `torn`: the last write did not end, nothing intact follows. `damaged`: intact frames follow, or a foreign version. */
  readonly condition: 'whole' | 'torn' | 'damaged';
}

/** A frame without its sequence and checksum, which it gets when it is written: only then is its place known. */
export function layOutFrame(message: SpooledMessage, appendedAt: number): Buffer {
  const payload = JSON.stringify([message.topic, message.orderingKey, message.body]);
  const payloadBytes = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(PAYLOAD_AT + payloadBytes);
  frame.writeUInt8(VERSION, 0);
  frame.writeUInt32BE(payloadBytes, LENGTH_AT);
  frame.writeDoubleBE(appendedAt, APPENDED_AT);
  frame.write(payload, PAYLOAD_AT);
  return frame;
}

export function stampFrame(frame: Buffer, sequence: number): void {
  frame.writeBigUInt64BE(BigInt(sequence), SEQUENCE_AT);
  frame.writeUInt32BE(checksum(frame), CRC_AT);
}

/** Null when the payload is not of this version's shape, although its checksum is right. */
export function readPayload(payload: Buffer): SpooledMessage | null {
  try {
    const [topic, orderingKey, body] = JSON.parse(payload.toString()) as unknown[];
    if (typeof topic !== 'string' || typeof orderingKey !== 'string' || typeof body !== 'string') return null;
    return { topic, orderingKey, body };
  } catch {
    return null;
  }
}

/**
 * Reads a whole segment. A damaged length cannot be trusted to say where the next frame begins, so everything behind a
 * bad place is searched for intact frames: only when there is none was it the torn end of a write.
 */
export function scanSegment(content: Buffer): SegmentScan {
  const frames: StoredFrame[] = [];
  let goodBytes = 0;
  let isDamaged = false;
  for (let offset = 0; offset < content.length;) {
    const previous = frames.at(-1)?.sequence ?? null;
    const frame = frameAt(content, offset, previous);
    if (frame === null) {
      const next = findFrame(content, offset + 1, previous);
      isDamaged ||= next !== null || isForeign(content, offset);
      if (next === null) break;
      offset = next;
      continue;
    }
    // Frames of one segment are numbered without a gap, since nothing is appended behind a failed write.
    if (previous !== null && frame.sequence !== previous + 1) isDamaged = true;
    frames.push(frame);
    offset += PAYLOAD_AT + frame.payload.length;
    goodBytes = offset;
  }
  if (isDamaged) return { frames, goodBytes, condition: 'damaged' };
  return { frames, goodBytes, condition: goodBytes < content.length ? 'torn' : 'whole' };
}

function findFrame(content: Buffer, from: number, previous: number | null): number | null {
  for (let at = content.indexOf(VERSION, from); at !== -1; at = content.indexOf(VERSION, at + 1)) {
    if (frameAt(content, at, previous) !== null) return at;
  }
  return null;
}

function frameAt(content: Buffer, offset: number, previous: number | null): StoredFrame | null {
  if (content.length - offset < PAYLOAD_AT || content[offset] !== VERSION) return null;
  const payloadBytes = content.readUInt32BE(offset + LENGTH_AT);
  if (payloadBytes > content.length - offset - PAYLOAD_AT) return null;
  // Looked at before the checksum, which would make the search behind a bad place slow on an unlucky content.
  const sequence = Number(content.readBigUInt64BE(offset + SEQUENCE_AT));
  if (!Number.isSafeInteger(sequence) || sequence <= (previous ?? 0)) return null;
  const frame = content.subarray(offset, offset + PAYLOAD_AT + payloadBytes);
  if (frame.readUInt32BE(CRC_AT) !== checksum(frame)) return null;
  return {
    sequence,
    appendedAt: frame.readDoubleBE(APPENDED_AT),
    payload: frame.subarray(PAYLOAD_AT),
  };
}

function isForeign(content: Buffer, offset: number): boolean {
  const first = content.readUInt8(offset);
  return first !== VERSION && (first & 0xf0) === VERSION_FAMILY;
}

function checksum(frame: Buffer): number {
  return crc32(frame.subarray(SEQUENCE_AT), crc32(frame.subarray(0, CRC_AT)));
}
