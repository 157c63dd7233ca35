import { readFileSync } from 'node:fs';
import { UnsupportedError } from './verdict.js';

/** Credentials of one test app. */
export interface Profile {
  readonly token: string;
  readonly encodingAESKey: string;
  readonly receiveId: string;
  readonly alsoReceiveIds?: readonly string[];
  readonly agentId?: number;
  readonly envelope?: 'xml' | 'json';
}

export type Profiles = Readonly<Record<string, Profile>>;

export function readProfiles(path: string): Profiles {
  return JSON.parse(readFileSync(path, 'utf8')) as Profiles;
}

export function profileOf(profiles: Profiles, app: string): Profile {
  const profile = Object.hasOwn(profiles, app) ? profiles[app] : undefined;
  if (!profile) throw new UnsupportedError(`there is no profile "${app}"`);
  return profile;
}
