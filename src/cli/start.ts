import type { JsonOption } from './cli-context.js';

/** The service itself, as `npm start` runs it; ends when it is stopped. */
export async function start({ json }: JsonOption): Promise<void> {
  // The log is text at a terminal and JSON elsewhere; whoever asks for JSON gets it at a terminal too.
  if (json) Object.defineProperty(process.stdout, 'isTTY', { value: false, configurable: true });
  await import('../main.js');
}
