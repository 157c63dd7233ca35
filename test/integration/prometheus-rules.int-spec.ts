import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { alerts, dashboardQueries } from '../support/monitoring-files.js';

const run = promisify(execFile);
const FOLDER = resolve(import.meta.dirname, '../../deploy/prometheus');
// Debian's package `prometheus` brings it; PROMTOOL names another one.
const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
const isThere = spawnSync(PROMTOOL, ['--version']).status === 0;

if (!isThere) console.warn(`WARNING: no ${PROMTOOL}: alert rules and dashboard are not tried by Prometheus itself`);

describe.skipIf(!isThere)('Prometheus', () => {
  it('takes the alert rules', async () => {
    const { stdout } = await run(PROMTOOL, ['check', 'rules', join(FOLDER, 'alerts.yml')]);
    expect(stdout).toContain('SUCCESS');
  });

  it('fires each alert in its case, and no other', async () => {
    const tested = readFileSync(join(FOLDER, 'alerts.test.yml'), 'utf8');
    expect(alerts().filter(({ alert }) => !tested.includes(`alertname="${alert}"`))).toEqual([]);
    const { stdout } = await run(PROMTOOL, ['test', 'rules', join(FOLDER, 'alerts.test.yml')]);
    expect(stdout).toContain('SUCCESS');
  });

  it('can read every expression of the dashboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wecom-dashboard-'));
    const rules = dashboardQueries().map(({ expr }, index) => ({ record: `panel:${index}`, expr }));
    // A rule file is JSON too, since JSON is YAML.
    writeFileSync(join(folder, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    try {
      const { stdout } = await run(PROMTOOL, ['check', 'rules', '--lint=none', join(folder, 'panels.yml')]);
      expect(stdout).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
