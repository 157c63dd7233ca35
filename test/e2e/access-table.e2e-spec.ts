import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminBrowser } from '../support/admin-browser.js';
import { AdminRig } from '../support/admin-rig.js';
import { ADMIN_TOKEN } from '../support/config-sources.js';
import { routesOf } from '../support/routes.js';

const ROLES = ['viewer', 'operator', 'admin'] as const;
const COLUMNS = [
  'nobody',
  ...ROLES.map((role) => `session of a ${role}`),
  ...ROLES.map((role) => `token of a ${role}`),
];
const PASSWORD = 'correct horse battery';

/**
 * Who gets which answer: nobody, viewer, operator, admin in a session; then, where tokens are answered otherwise, the same
 * three with a token. Requests are sent without a body and about things that do not exist, so whoever may call a route
 * gets 200, 204, 400 or 404, and changes nothing.
 */
const TABLE: Readonly<Record<string, readonly number[]>> = {
  'POST /session': [400, 400, 400, 400],
  'GET /session': [401, 200, 200, 200, 401, 401, 401],
  'POST /session/password': [401, 400, 400, 400],
  'DELETE /session': [401, 204, 204, 204, 403, 403, 403],
  'POST /setup': [400, 400, 400, 400],
  'GET /traffic': [401, 200, 200, 200],
  'GET /traffic/dependencies': [401, 200, 200, 200],
  'GET /users': [401, 403, 403, 200],
  'POST /users': [401, 403, 403, 400],
  'PATCH /users/:name': [401, 403, 403, 404],
  'DELETE /users/:name': [401, 403, 403, 404],
  'GET /tokens': [401, 403, 403, 200],
  'POST /tokens': [401, 403, 403, 400],
  'DELETE /tokens/:id': [401, 403, 403, 404],
  'GET /summary': [401, 200, 200, 200],
  'GET /events': [401, 200, 200, 200],
  'POST /events/lookup': [401, 400, 400, 400],
  'GET /events/tail': [401, 200, 200, 200],
  'GET /events/:id': [401, 404, 404, 404],
  'GET /events/:id/history': [401, 404, 404, 404],
  'GET /dead-letters': [401, 200, 200, 200],
  'GET /dead-letters/groups': [401, 200, 200, 200],
  'POST /dead-letters/redrive': [401, 403, 400, 400],
  'POST /dead-letters/discard': [401, 403, 400, 400],
  'POST /redrive-jobs': [401, 403, 400, 400],
  'GET /redrive-jobs': [401, 200, 200, 200],
  'GET /redrive-jobs/:id': [401, 404, 404, 404],
  'GET /redrive-jobs/:id/items': [401, 404, 404, 404],
  'GET /redrive-jobs/:id/outcomes': [401, 404, 404, 404],
  'POST /redrive-jobs/:id/start': [401, 403, 404, 404],
  'POST /redrive-jobs/:id/pause': [401, 403, 404, 404],
  'POST /redrive-jobs/:id/resume': [401, 403, 404, 404],
  'POST /redrive-jobs/:id/cancel': [401, 403, 404, 404],
  'GET /entities': [401, 400, 400, 400],
  'GET /entities/changes': [401, 200, 200, 200],
  'GET /entities/by-ref/:ref': [401, 404, 404, 404],
  'GET /queues': [401, 200, 200, 200],
  'GET /handlers': [401, 200, 200, 200],
  'POST /handlers/:name/pause': [401, 403, 404, 404],
  'POST /handlers/:name/resume': [401, 403, 404, 404],
  'GET /apps': [401, 200, 200, 200],
  'GET /audit': [401, 200, 200, 200],
};

/** Outside of the API; they need neither session nor token, since they tell nothing that is not public. */
const PUBLIC = [
  'GET /admin/docs',
  'GET /admin/docs/',
  // As the tree prints it: below assets.
  'GET /admin/docs/*',
  'GET /admin/docs/openapi.json',
  'GET /admin/docs/start.js',
  'GET /console',
  'GET /console/',
  'GET /console/*',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /wecom/callbacks/:app',
  'POST /wecom/callbacks/:app',
];

const API = '/admin/api/v1';
let rig: AdminRig;
let callers: AdminBrowser[];

beforeAll(async () => {
  rig = await AdminRig.start();
  const root = new AdminBrowser(rig.gateway.adminBase, { authorization: `Bearer ${ADMIN_TOKEN}` });
  callers = [new AdminBrowser(rig.gateway.adminBase)];
  for (const role of ROLES) {
    await root.call('POST', 'users', { name: role, role, permissions: [], password: PASSWORD });
    callers.push(new AdminBrowser(rig.gateway.adminBase));
  }
  for (const role of ROLES) {
    const { json } = await root.call('POST', 'tokens', { name: role, role, permissions: [], expiresAt: null });
    callers.push(new AdminBrowser(rig.gateway.adminBase, { authorization: `Bearer ${json.token}` }));
  }
});

afterAll(() => rig.stop());

function registered(): string[] {
  const routes = routesOf(rig.gateway.gateway.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }));
  return [...new Set(routes)];
}

describe('the routes that are registered', () => {
  it('each have a row, and each row has a route', () => {
    const routes = registered().filter((route) => route.includes(`${API}/`));
    expect(routes.map((route) => route.replace(API, '')).sort()).toEqual(Object.keys(TABLE).sort());
  });

  it('outside of the API are these, files of the console apart', () => {
    const routes = registered().filter(
      (route) => !route.includes(`${API}/`) && !/^GET \/console\/.+\.\w+$/.test(route),
    );
    expect(routes.sort()).toEqual([...PUBLIC].sort());
  });
});

describe('the answer to', () => {
  it.each(Object.entries(TABLE))('%s is that of the table', async (route, row) => {
    const [method = '', path = ''] = route.split(' /');
    const asked = path.replace(':id', '999999').replace(':name', 'nobody').replace(':ref', 'YQ');
    const wanted = row.length === 4 ? [...row, ...row.slice(1)] : row;
    const answers: (string | number)[][] = [];
    for (const [column, caller] of callers.entries()) {
      // Each row begins with sessions that are there: one of them ends them.
      const role = ROLES[column - 1];
      if (role !== undefined && caller.cookie === '') expect((await caller.login(role, PASSWORD)).status).toBe(200);
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const { status } = await caller.call(method, asked, body);
      answers.push([COLUMNS[column] ?? '', status]);
    }
    expect(answers).toEqual(COLUMNS.map((column, n) => [column, wanted[n]]));
  });
});
