import { describe, expect, it } from 'vitest';
import { layOutFrame, readPayload, scanSegment, stampFrame } from './spool-frame.js';

function frame(sequence: number, body = `event ${sequence}`): Buffer {
  const bytes = layOutFrame({ topic: 't', orderingKey: 'k', body }, 1_000 + sequence);
  stampFrame(bytes, sequence);
  return bytes;
}

function sequences(content: Buffer): number[] {
  return scanSegment(content).frames.map(({ sequence }) => sequence);
}

describe('a spool frame', () => {
  it.each([
    ['empty', ''],
    ['Chinese', '企业微信 <![CDATA[审批]]>'],
    ['with quotes, controls and NUL', '"\\\u0000\u001f\n'],
    ['with a lone surrogate, which UTF-8 cannot hold', 'a\ud800b'],
    ['large', 'x'.repeat(1_000_000)],
  ])('gives back a body that is %s', (_name, body) => {
    const [stored] = scanSegment(frame(1, body)).frames;
    expect(readPayload(stored?.payload ?? Buffer.alloc(0))).toEqual({ topic: 't', orderingKey: 'k', body });
    expect(stored).toMatchObject({ sequence: 1, appendedAt: 1_001 });
  });

  it('keeps a time that is no whole number, as a simulated clock may give', () => {
    const bytes = layOutFrame({ topic: 't', orderingKey: 'k', body: 'b' }, 12.5);
    stampFrame(bytes, 1);
    expect(scanSegment(bytes).frames[0]?.appendedAt).toBe(12.5);
  });

  it.each(['', 'null', '[]', '["t","k",1]', '{"topic":"t"}', '["t","k"'])('reads no message from %s', (payload) => {
    expect(readPayload(Buffer.from(payload))).toBeNull();
  });
});

describe('the scan of a segment', () => {
  const whole = Buffer.concat([frame(7), frame(8, 'the longer one'), frame(9)]);
  const ends = [frame(7).length, frame(7).length + frame(8, 'the longer one').length, whole.length];

  it('finds at every length exactly the frames that are complete, and calls the rest torn', () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const scan = scanSegment(whole.subarray(0, length));
      const complete = ends.filter((end) => end <= length);
      expect(scan.frames.map(({ sequence }) => sequence)).toEqual([7, 8, 9].slice(0, complete.length));
      expect(scan.goodBytes).toBe(complete.at(-1) ?? 0);
      expect(scan.condition).toBe(scan.goodBytes === length ? 'whole' : 'torn');
    }
  });

  it('reports damage wherever a bit flips in a frame that others follow, and keeps all others', () => {
    for (let at = ends[0] ?? 0; at < (ends[1] ?? 0); at += 1) {
      for (const bit of [0x01, 0x80]) {
        const content = Buffer.from(whole);
        content.writeUInt8(content.readUInt8(at) ^ bit, at);
        expect(sequences(content), `byte ${at}`).toEqual([7, 9]);
        expect(scanSegment(content).condition, `byte ${at}`).toBe('damaged');
      }
    }
  });

  it('reports damage in the first frame, before which no number says that one is missing', () => {
    const content = Buffer.from(whole);
    content.writeUInt8(content.readUInt8(30) ^ 1, 30);
    expect(sequences(content)).toEqual([8, 9]);
    expect(scanSegment(content).condition).toBe('damaged');
  });

  it('takes a bad last frame for torn, since nothing intact follows', () => {
    const content = Buffer.from(whole);
    content.writeUInt8(content.readUInt8(whole.length - 1) ^ 1, whole.length - 1);
    expect(scanSegment(content)).toMatchObject({ condition: 'torn', goodBytes: ends[1] });
  });

  it('takes zeros at the end for torn', () => {
    expect(scanSegment(Buffer.concat([whole, Buffer.alloc(100)]))).toMatchObject({
      condition: 'torn',
      goodBytes: whole.length,
    });
  });

  it('never takes a frame of another version for torn: a newer gateway wrote it', () => {
    const newer = frame(10);
    newer.writeUInt8(0xd2, 0);
    expect(scanSegment(Buffer.concat([whole, newer])).condition).toBe('damaged');
  });

  it('reports damage when a frame is missing between two', () => {
    expect(scanSegment(Buffer.concat([frame(7), frame(9)])).condition).toBe('damaged');
  });

  it('does not read a frame that goes back in number', () => {
    expect(sequences(Buffer.concat([frame(9), frame(8), frame(10)]))).toEqual([9, 10]);
  });

  it('is not slowed down by a large segment full of what looks like frames', () => {
    // A plausible length and an impossible sequence each: 40,000 checksums of half a megabyte would take many seconds.
    const decoy = Buffer.alloc(25, 0xff);
    decoy.writeUInt8(0xd1, 0);
    decoy.writeUInt32BE(500_000, 1);
    expect(scanSegment(Buffer.alloc(1_000_000, decoy))).toMatchObject({ frames: [], condition: 'torn' });
  }, 2_000);
});
