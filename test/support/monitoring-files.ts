import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function alerts(): Alert[] {
  const file = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

export interface DashboardQuery {
  readonly where: string;
  readonly expr: string;
  /** `{{label}}` of its legend. */
  readonly legend: string;
}

/** Every expression of the dashboard, with Grafana's variables replaced by what could stand there. */
export function dashboardQueries(): DashboardQuery[] {
  const { panels, templating, annotations } = JSON.parse(read('deploy/grafana/wecom-callback-gateway.json')) as {
    panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
    templating: { list: { name: string; type: string; definition?: string }[] };
    annotations: { list: { name: string; expr: string }[] };
  };
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ where: title, expr, legend: legendFormat })),
  );
  const variables = templating.list.flatMap(({ name, type, definition = '' }) => {
    const [, expr] = /^label_values\((.*), \w+\)$/.exec(definition) ?? [];
    return type === 'query' ? [{ where: `variable ${name}`, expr: expr ?? definition, legend: '' }] : [];
  });
  const marks = annotations.list.map(({ name, expr }) => ({ where: `annotation ${name}`, expr, legend: '' }));
  return [...queries, ...variables, ...marks].map((query) => ({
    ...query,
    expr: query.expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m').replaceAll(/\$(?:job|instance)\b/g, '.*'),
  }));
}
