import { DatabaseSync } from '@photostructure/sqlite';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { alerts, dashboardQueries } from '../support/monitoring-files.js';
import { exportedMetrics, promqlNames } from '../support/promql-names.js';
import { runSimulator } from '../support/simulator-run.js';
import { WecomClient } from '../support/wecom-client.js';

/** Prometheus' own: labels that it adds, and the series that it makes of alerts. */
const PROMETHEUS_LABELS = new Set(['job', 'instance']);
const PROMETHEUS_METRICS = new Set(['ALERTS']);
/** Values that a short run of a well service does not show, and the code can. */
const VALUES_UNSEEN = new Set(['WECOM_APP_UNKNOWN', 'gateway', 'worker']);

const queries = [
  ...alerts().map(({ alert, expr, annotations }) => ({
    where: alert,
    expr,
    labels: [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
  })),
  ...dashboardQueries().map(({ where, expr, legend }) => ({
    where,
    expr,
    labels: [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  })),
];

describe('the dashboard and the alerts', () => {
  let dataDir: string;
  let gateway: GatewayProcess;
  let exported: ReturnType<typeof exportedMetrics>;
  let metrics = '';

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-monitoring-'));
    gateway = await GatewayProcess.start(dataDir);
    const client = new WecomClient(gateway.callbackBase, 'demo', gateway.demo);
    await client.post(
      { msg_signature: 'f'.repeat(40), timestamp: '1', nonce: '2' },
      '<xml><Encrypt>eA==</Encrypt></xml>',
    );
    client.close();
    const places = ['--target', gateway.callbackBase, '--admin', gateway.adminBase, '--data', dataDir];
    const { code, output } = await runSimulator([
      ...places,
      '--count',
      '200',
      '--fail-share',
      '0.2',
      '--hang-up-share',
      '0',
    ]);
    expect(code, output).toBe(0);
    // Its metric has a series only while a handler is paused.
    expect((await gateway.admin('handlers/ApprovalHandler/pause', { reason: 'to be seen' })).status).toBe(200);
    const answer = await fetch(`${gateway.adminBase}/metrics`, { headers: { connection: 'close' } });
    metrics = await answer.text();
    exported = exportedMetrics(metrics);
  });

  afterAll(async () => {
    await gateway.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('ask for something at all', () => {
    expect(alerts().length).toBeGreaterThan(25);
    expect(dashboardQueries().length).toBeGreaterThan(40);
    expect(exported.size).toBeGreaterThan(40);
  });

  it.each(queries)('$where asks for metrics, labels and values that the service exports', ({ expr, labels }) => {
    const { selectors, groupings } = promqlNames(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    const known = new Set(PROMETHEUS_LABELS);
    for (const { metric, matchers } of selectors) {
      if (PROMETHEUS_METRICS.has(metric)) continue;
      const has = exported.get(metric);
      if (!has) wrong.push(metric);
      for (const label of has?.keys() ?? []) known.add(label);
      for (const { label, operator, value } of matchers) {
        if (PROMETHEUS_LABELS.has(label)) continue;
        const values = has?.get(label);
        if (!values) wrong.push(`${metric}{${label}}`);
        const wanted = operator === '=' || operator === '!=' ? [value] : value.split('|');
        for (const one of wanted) {
          if (!values?.has(one) && !VALUES_UNSEEN.has(one)) wrong.push(`${metric}{${label}="${one}"}`);
        }
      }
    }
    wrong.push(
      ...[...groupings, ...labels].filter(
        (label) => !known.has(label) && !selectors.some(({ metric }) => metric === 'ALERTS'),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it.each(['docs/operations.md', 'docs/operations.zh-CN.md'])('are explained in %s, whose SQL runs', (page) => {
    const text = readFileSync(resolve(import.meta.dirname, '../..', page), 'utf8');
    const own = [...exported.keys()].filter((name) => name.startsWith('wecom_') && !/_(?:sum|count)$/.test(name));
    expect(own.map((name) => name.replace(/_bucket$/, '')).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    const statements = [...text.matchAll(/`((?:SELECT|UPDATE) [^`]+)`/g)].map(([, sql = '']) => sql);
    expect(statements.length).toBeGreaterThan(8);
    const database = new DatabaseSync(join(dataDir, 'wecom.sqlite'), { readOnly: true });
    try {
      // Compiled against the real tables; nothing is run.
      for (const sql of statements) expect(() => database.prepare(sql), sql).not.toThrow();
    } finally {
      database.close();
    }
  });

  it('rest on numbers that the admin API gives too', async () => {
    const valueOf = (series: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const { json } = await gateway.admin('summary');
    expect(json.statuses.DEAD).toBeGreaterThan(0);
    expect(valueOf('wecom_waiting_events{status="DEAD"}')).toBe(json.statuses.DEAD);
    expect(valueOf('wecom_waiting_oldest_seconds{status="DEAD"}')).toBeGreaterThan(0);
    expect(valueOf('wecom_waiting_oldest_seconds{status="PARKED"}')).toBe(0);
    expect(valueOf('wecom_conservation_difference')).toBe(json.balance.missing);
    expect(valueOf('wecom_outbox_commands{state="pending"}')).toBe(json.outbox.pending);
    expect(valueOf('wecom_transport_backlog_messages{topic="events"}')).toBe(json.backlog.events);
    expect(valueOf('wecom_part_state{part="database",state="up"}')).toBe(1);
    // The simulator signs with this very clock, in whole seconds.
    expect(Math.abs(valueOf('wecom_callback_clock_offset_seconds'))).toBeLessThan(5);
  });

  it('leave out no metric of the service', () => {
    const used = new Set(queries.flatMap(({ expr }) => promqlNames(expr).selectors.map(({ metric }) => metric)));
    const own = [...exported.keys()].filter((name) => name.startsWith('wecom_') && !/_(?:sum|count)$/.test(name));
    expect(own.filter((name) => !used.has(name))).toEqual([]);
  });
});
