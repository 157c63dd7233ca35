import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCredentials } from '../support/sealer.js';

export const INPUTS = join(import.meta.dirname, 'inputs');

export interface Expectation {
  readonly answer?: 'ack' | 'nack' | 'reject';
  readonly anyOf?: readonly Expectation[];
  readonly status?: number;
  readonly statusIn?: readonly number[];
  readonly bodyExact?: string;
  readonly contentTypeStarts?: string;
  readonly contentLength?: number;
  readonly noHeader?: readonly string[];
  readonly notHtml?: boolean;
  readonly noStack?: boolean;
  readonly maxMs?: number;
}

export interface Step {
  readonly do: string;
  readonly expect?: Expectation;
  readonly [name: string]: any;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

export function scenarios(prefixes: readonly string[]): Scenario[] {
  const folder = join(INPUTS, 'scenarios');
  return readdirSync(folder)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Scenario);
}

export function profiles(): Record<string, TestCredentials> {
  return JSON.parse(readFileSync(join(INPUTS, 'profiles.json'), 'utf8')) as Record<string, TestCredentials>;
}
