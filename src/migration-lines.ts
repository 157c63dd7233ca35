import type { MigrateAction, MigrateResult } from './database/migrate-database.js';

/** What a person reads after a migration. */
export function migrationLines(action: MigrateAction, { done, pending, unknown, moved }: MigrateResult): string[] {
  const verb = action === 'down' ? 'taken back' : 'run';
  return [
    ...(action === 'status' ? done.map((name) => `done     ${name}`) : moved.map((name) => `${verb}: ${name}`)),
    ...pending.map((name) => `pending  ${name}`),
    ...unknown.map((name) => `unknown  ${name} (of a newer version, or of somebody else)`),
    ...(action !== 'status' && moved.length === 0 ? ['nothing to do'] : []),
  ];
}
