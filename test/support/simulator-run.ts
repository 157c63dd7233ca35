import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const SIMULATOR = resolve(import.meta.dirname, '../../dist/src/simulator/main.js');

/** Figures of the simulator's result that are zero when every promise was kept. */
export const FAULTS = [
  ...['lost', 'doubled', 'mismatched', 'wrongMoves', 'inversions', 'unfinished', 'unexpectedDead', 'unanswered'],
];

export interface SimulatorResult {
  readonly code: number;
  readonly output: string;
  readonly result: Readonly<Record<string, number>>;
}

/** Runs the built simulator against a service; its progress goes to the test's own stderr. */
export async function runSimulator(args: readonly string[]): Promise<SimulatorResult> {
  const simulator = spawn(process.execPath, [SIMULATOR, ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  simulator.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(simulator, 'exit')) as [number];
  return { code, output, result: JSON.parse(output.slice(output.indexOf('{'))) as Record<string, number> };
}

export function faultsOf({ result }: SimulatorResult): Record<string, number | undefined> {
  return Object.fromEntries(FAULTS.map((name) => [name, result[name]]));
}

export const NO_FAULTS = Object.fromEntries(FAULTS.map((name) => [name, 0]));
