import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminDocument } from '../../src/admin/admin-docs.js';
import { AdminRig } from '../support/admin-rig.js';
import { routesOf } from '../support/routes.js';
import { approvalXml, groupXml } from '../support/texts.js';

let rig: AdminRig;
let document: any;
let values: Record<string, string>;
const seen: string[] = [];

beforeAll(async () => {
  rig = await AdminRig.start();
  await rig.put([approvalXml('A/1+=%', 1, 1_796_000_000)], { status: 'DEAD', errorCode: 'E', errorMessage: 'order 1' });
  await rig.put([groupXml('create', 'wr1', 1_796_000_000)], { status: 'APPLIED' });
  await rig.post('redrive-jobs', { action: 'redrive', filter: {} });
  await rig.post('users', { name: 'anna', role: 'viewer', permissions: [], password: 'a long pass phrase' });
  await rig.post('tokens', { name: 'ci', role: 'viewer', permissions: [], expiresAt: null });
  const { json } = await rig.get('events?status=DEAD');
  const [event] = json.items;
  values = { id: String(event.id), ref: event.entityRef, key: event.entityKey };
  document = adminDocument(rig.gateway.gateway.app);
});

afterAll(() => rig.stop());

/** Faults of a value by the schema that the document gives it: what is missing, undocumented, or of another type. */
function faults(schema: any, value: any, path: string): string[] {
  if (schema === undefined) return [`${path} has no schema`];
  if (schema.$ref) return faults(document.components.schemas[schema.$ref.split('/').pop()], value, path);
  if (schema.allOf) return schema.allOf.flatMap((one: any) => faults(one, value, path));
  if (value === null) return schema.nullable ? [] : [`${path} is null`];
  if (schema.type === 'array')
    return Array.isArray(value)
      ? value.flatMap((one, index) => faults(schema.items, one, `${path}[${index}]`))
      : [`${path} is no list`];
  if (schema.type === 'object' && schema.properties) {
    const wrong = Object.entries(schema.properties).flatMap(([key, one]) =>
      value[key] === undefined
        ? [`${path}.${key} is missing`]
        : faults(nullable(one, value[key]), value[key], `${path}.${key}`),
    );
    const more = Object.keys(value).filter((key) => !(key in schema.properties));
    return [...wrong, ...more.map((key) => `${path}.${key} is not in the document`)];
  }
  if (schema.type === 'object') return typeof value === 'object' ? [] : [`${path} is no object`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path} is ${value}`];
  if (schema.type === 'integer') return Number.isInteger(value) ? [] : [`${path} is no integer: ${value}`];
  return typeof value === schema.type ? [] : [`${path} is ${typeof value}, not ${schema.type}`];
}

/** Those by which a session begins. */
const isOpen = (method: string, path: string): boolean =>
  ['get /session', 'post /session', 'post /setup'].includes(`${method} ${path.replace('/admin/api/v1', '')}`);

/** A nullable view is told as `nullable` beside `allOf`. */
function nullable(schema: any, value: any): any {
  return value === null && schema.nullable ? { nullable: true } : schema;
}

describe('the OpenAPI document', () => {
  it('has exactly the routes of the admin API', async () => {
    const table = rig.gateway.gateway.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    const documented = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const routes = routesOf(table).filter((route) => route.includes('/admin/api/'));
    expect(routes.length).toBeGreaterThan(20);
    expect([...documented].sort()).toEqual([...new Set(routes)].sort());
  });

  it('names an answer for each route, who may call it, and how', () => {
    for (const [path, methods] of Object.entries<any>(document.paths)) {
      for (const [method, operation] of Object.entries<any>(methods)) {
        if (method === 'delete') expect(Object.keys(operation.responses), path).toEqual(['204']);
        else expect(operation.responses['200'].content['application/json'].schema.$ref, path).toBeTruthy();
        expect(operation.security, path).toEqual(
          isOpen(method, path) ? undefined : [{ 'admin-token': [] }, { session: [] }],
        );
        expect(operation.description, path).toMatch(/^Needs /);
        expect(operation.summary, path).toBeTruthy();
      }
    }
  });

  it('tells of each GET what it really answers', async () => {
    for (const [path, { get }] of Object.entries<any>(document.paths)) {
      // A token has no session.
      if (!get || path.endsWith('/session')) continue;
      const inQuery = path.endsWith('/entities') ? `?key=${encodeURIComponent(values['key'] ?? '')}` : '';
      const id = path.includes('redrive-jobs') ? '1' : (values['id'] ?? '');
      const asked = path
        .replace('/admin/api/v1/', '')
        .replace('{id}', id)
        .replace('{ref}', values['ref'] ?? '');
      const { status, json } = await rig.get(asked + inQuery);
      expect([path, status]).toEqual([path, 200]);
      expect(faults(get.responses['200'].content['application/json'].schema, json, path)).toEqual([]);
      seen.push(path);
    }
    expect(seen.length).toBeGreaterThanOrEqual(18);
  });

  it('is refused without the token on each route, and its page is not', async () => {
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      for (const method of Object.keys(methods)) {
        if (isOpen(method, path)) continue;
        const url = `${rig.gateway.adminBase}${path.replace('{id}', '1').replace('{ref}', 'YQ').replace('{name}', 'x')}`;
        const answer = await fetch(url, { method: method.toUpperCase(), headers: { connection: 'close' } });
        expect([path, answer.status]).toEqual([path, 401]);
      }
    }
  });
});

describe('its page', () => {
  const ask = (base: string, path: string) => fetch(`${base}${path}`, { headers: { connection: 'close' } });

  it.each(['/admin/docs', '/admin/docs/'])(
    'loads from %s with all that it needs, none of it from elsewhere',
    async (path) => {
      const html = await (await ask(rig.gateway.adminBase, path)).text();
      const links = [...html.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(([, link = '']) => link);
      expect(links).toHaveLength(5);
      for (const link of links) {
        const answer = await ask(rig.gateway.adminBase, new URL(link, `http://x${path}`).pathname);
        expect([link, answer.status]).toEqual([link, 200]);
        expect((await answer.text()).length).toBeGreaterThan(50);
      }
      expect(html).not.toMatch(/https?:/);
    },
  );

  it('is not on the callback port, nor are its files or the API', async () => {
    for (const path of [
      '/admin/docs',
      '/admin/docs/openapi.json',
      '/admin/docs/assets/swagger-ui.css',
      '/admin/api/v1/summary',
    ])
      expect([path, (await ask(rig.gateway.callbackBase, path)).status]).toEqual([path, 404]);
  });

  it('serves no other file of the package, and none beside it', async () => {
    for (const path of [
      'package.json',
      'index.html',
      '../package.json',
      '..%2fpackage.json',
      'swagger-ui-bundle.js.map',
    ])
      expect((await ask(rig.gateway.adminBase, `/admin/docs/assets/${path}`)).status).toBe(404);
  });
});
