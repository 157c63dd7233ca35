import type { ServiceName } from './command.js';
import type { Launch } from './launch.js';

/** One server process of a service. */
export interface ServerPlan {
  /** Of its record and its log. */
  readonly name: string;
  readonly ports: readonly number[];
  readonly launch: Launch;
  /** Where it writes if not to its output. */
  readonly log?: string;
}

/** A program of the machine that a service needs, and the package that brings it. */
export interface Need {
  readonly program: string;
  readonly aptPackage: string;
}

/** How one service comes up; nothing of it happens before it is called. */
export interface Service {
  readonly name: ServiceName;
  /** Tells this way of running it from others: another one has to go down first. */
  readonly layout: string;
  readonly folder: string;
  readonly needs: readonly Need[];
  /** What comes from elsewhere than apt; null: nothing. */
  readonly fetched: string | null;
  readonly readyLimitMs: number;
  /** Ready-to-paste settings of the gateway. */
  readonly settings: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  fetch(): Promise<void>;
  /** Writes files and makes data folders, where they are not there yet. Returns the processes in the order of their start. */
  prepare(): Promise<readonly ServerPlan[]>;
  isReady(): Promise<boolean>;
  /** Once ready, also when it was ready before: databases, topics, roles. */
  complete(): Promise<void>;
}

/** It could not be brought up, and why; the message is for the person who asked. */
export class ServiceFailedError extends Error {
  readonly code = 'SERVICE_FAILED';
}
