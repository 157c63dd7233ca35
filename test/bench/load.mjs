// Sends callbacks over kept connections, one after another on each. Requests are bytes made beforehand and answers are
// only looked at for their status and text: on two cores, Node's own HTTP client would take more time than the gateway.
import { connect } from 'node:net';
import { once } from 'node:events';

const ANSWER_LIMIT_MS = 30_000;

/** `path` and `body` of a callback as the bytes of a request. */
export function requestBytes({ path, body }) {
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/xml\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Latencies in milliseconds, sorted. `perSecond` paces the requests; without it each follows the answer before it. */
export async function deliver(port, requests, { connections, perSecond = null }) {
  const latencies = [];
  const begun = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error('no answer')));
      await once(socket, 'connect');
      // Between two requests nobody else listens; the next one then fails with the connection.
      socket.on('error', () => undefined);
      for (let at = next++; at < requests.length; at = next++) {
        // From its due time on, so that a server that stalls is not asked less.
        const due = perSecond === null ? performance.now() : begun + (at / perSecond) * 1000;
        if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
        await ask(socket, requests[at]);
        latencies.push(performance.now() - due);
      }
      socket.destroy();
    }),
  );
  return { latencies: latencies.sort((a, b) => a - b), ms: performance.now() - begun };
}

export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function ask(socket, bytes) {
  return new Promise((resolve, reject) => {
    let text = '';
    const done = (finish, value) => {
      socket.off('data', take).off('error', fail).off('close', closed);
      finish(value);
    };
    const fail = (error) => done(reject, error);
    const closed = () => done(reject, new Error('the connection ended'));
    const take = (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (end < 0 || !(text.length >= end + 4 + length)) return;
      if (text.startsWith('HTTP/1.1 200') && text.slice(end + 4) === 'success') done(resolve);
      else done(reject, new Error(text.slice(0, 200)));
    };
    if (socket.destroyed) return reject(socket.errored ?? new Error('the connection ended'));
    socket.on('data', take).on('error', fail).on('close', closed);
    socket.write(bytes);
  });
}
