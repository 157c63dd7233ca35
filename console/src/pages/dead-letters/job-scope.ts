import type { SeenItem } from '../../api/dead-letters.js';
import type { Action } from '../../api/views.js';

/** What a job is to be made of: a filter, or events named one by one. */
export interface JobScope {
  readonly action: Action;
  /** For people. */
  readonly title: string;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly items?: readonly SeenItem[];
}
