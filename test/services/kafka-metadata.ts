import { connect } from 'node:net';

const LIMIT_MS = 3_000;
const METADATA = 3;
const VERSION = 1;
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * How many brokers a broker knows, or 0 while there is no controller. Asked by hand: who starts a Kafka need not have its
 * native client.
 */
export async function kafkaBrokerCount(port: number): Promise<number> {
  const answer = await ask(port).catch(() => null);
  if (answer === null) return 0;
  // Behind the correlation id: brokers, each with id, host, port and rack; then the controller.
  let at = 4;
  const count = answer.readInt32BE(at);
  at += 4;
  for (let index = 0; index < count; index += 1) {
    at += 4;
    at += 2 + answer.readInt16BE(at) + 4;
    at += 2 + Math.max(0, answer.readInt16BE(at));
  }
  return answer.readInt32BE(at) < 0 ? 0 : count;
}

/** A metadata request for no topic; the answer without its length. */
function ask(port: number): Promise<Buffer> {
  const request = Buffer.alloc(4 + 14);
  request.writeInt32BE(14, 0);
  request.writeInt16BE(METADATA, 4);
  request.writeInt16BE(VERSION, 6);
  request.writeInt32BE(1, 8);
  // No client id, no topics.
  request.writeInt16BE(-1, 12);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no answer in time')));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > ANSWER_BYTES_MAX) socket.destroy(new Error('not a Kafka'));
      if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return;
      socket.destroy();
      resolve(received.subarray(4));
    });
    socket.once('error', reject).once('close', () => reject(new Error('closed')));
  });
}
