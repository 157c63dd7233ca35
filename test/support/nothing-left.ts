import { afterAll, expect } from 'vitest';

// What keeps a process alive after its tests is a timer, a socket or a server that somebody forgot to stop.
const LEFTOVERS = new Set(['Timeout', 'Immediate', 'TCPSERVERWRAP', 'TCPSocketWrap', 'TCPServerWrap', 'FSReqCallback']);

function alive(): string[] {
  return process.getActiveResourcesInfo().filter((name) => LEFTOVERS.has(name));
}

const before = alive().length;

afterAll(async () => {
  const deadline = performance.now() + 2_000;
  while (alive().length > before && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  const left = alive().slice(before);
  expect(left, 'resources that this file left open').toEqual([]);
});
