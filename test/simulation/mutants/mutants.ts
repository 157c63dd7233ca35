import type { Mutation } from '../roles/mutation.js';
import { REQUEST_PATH_MUTANTS } from './request-path.js';
import { ROW_MUTANTS } from './rows.js';
import { WORKER_PATH_MUTANTS } from './worker-path.js';

/** Wrong products that the simulation has to tell from the right one: those of protocol.md, and more. */
export const MUTANTS: readonly Mutation[] = [...REQUEST_PATH_MUTANTS, ...WORKER_PATH_MUTANTS, ...ROW_MUTANTS];
