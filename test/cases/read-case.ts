import { readdirSync, readFileSync } from 'node:fs';

const INPUTS = new URL('./inputs/', import.meta.url);

/** Credentials of one test app (`inputs/profiles.json`). */
export interface CaseProfile {
  readonly token: string;
  readonly encodingAESKey: string;
  readonly receiveId: string;
  readonly alsoReceiveIds?: readonly string[];
}

/** A step of a scenario; most have only some of these. */
export interface CaseStep {
  readonly do: string;
  readonly app?: string;
  readonly xml?: string;
  readonly text?: string;
  readonly steps?: readonly CaseStep[];
}

export function readCaseText(path: string): string {
  return readFileSync(new URL(path, INPUTS), 'utf8');
}

export function readCaseJson<Shape>(path: string): Shape {
  return JSON.parse(readCaseText(path)) as Shape;
}

export function listCaseFiles(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, INPUTS)).sort();
}

export function readProfile(app: string): CaseProfile {
  const profile = readCaseJson<Record<string, CaseProfile>>('profiles.json')[app];
  if (profile === undefined) throw new Error(`no profile ${app}`);
  return profile;
}

/** The callbacks of a scenario in the order of the file, those of nested steps included. */
export function callbacksOf(caseId: string): { readonly app: string; readonly plaintext: string }[] {
  return flatten(readCaseJson<{ steps: readonly CaseStep[] }>(`scenarios/${caseId}.json`).steps)
    .filter((step) => step.do === 'callback')
    .map(({ app = '', xml, text }) => ({ app, plaintext: xml ?? text ?? '' }));
}

function flatten(steps: readonly CaseStep[]): CaseStep[] {
  return steps.flatMap((step) => [step, ...flatten(step.steps ?? [])]);
}
