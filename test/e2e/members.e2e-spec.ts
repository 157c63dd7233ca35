import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeWecomServer } from '../support/fake-wecom-server.js';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { customerXml, memberXml, tagXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const CREDENTIALS = { token: 'tokenOne', encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C' };
const APP = { ...CREDENTIALS, receiveId: 'wwtest', secret: 'secret-of-the-app' };
const TIME = 1_796_000_400;

describe('the service with members, tags and an app that may ask WeCom', () => {
  let folder: string;
  let wecom: FakeWecomServer;
  let gateway: GatewayInProcess;
  let client: WecomClient;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wecom-members-'));
    await writeFile(join(folder, 'apps.json'), JSON.stringify({ crm: APP }));
    wecom = new FakeWecomServer();
    wecom.corpId = 'wwtest';
    const api = await wecom.start();
    gateway = await GatewayInProcess.start({ WECOM_APPS_FILE: join(folder, 'apps.json'), WECOM_API_URL: api });
    client = new WecomClient(gateway.callbackBase, 'crm', APP);
  });

  afterEach(async () => {
    client.close();
    await gateway.stop();
    await wecom.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function deliver(...texts: string[]): Promise<void> {
    for (const text of texts) {
      expect((await client.deliver(text)).body).toBe('success');
      // One after another on the transport, so that their order of arrival is the order here.
      await until(async () => (await gateway.admin('summary')).json.backlog.events === 0);
    }
    await until(() => gateway.isSettled(), 30_000);
  }

  const query = <Row>(sql: string): Promise<Row[]> =>
    gateway.gateway.app.get<DataSource>(getDataSourceToken()).query(sql);

  it('keeps a member through creation, rename and deletion', async () => {
    await deliver(
      memberXml('create_user', 'a', TIME, '<Name>Li</Name>'),
      memberXml('update_user', 'a', TIME + 1, '<NewUserID>b</NewUserID>'),
      memberXml('delete_user', 'b', TIME + 2),
    );
    expect(await query('SELECT user_id, status, renamed_to, name FROM member ORDER BY user_id')).toEqual([
      { user_id: 'a', status: 'RENAMED', renamed_to: 'b', name: 'Li' },
      { user_id: 'b', status: 'DELETED', renamed_to: null, name: 'Li' },
    ]);
  });

  it('keeps tags', async () => {
    const tag = '<Id>t</Id><TagType>tag</TagType>';
    await deliver(tagXml('create', tag, TIME), tagXml('delete', tag, TIME + 1), tagXml('update', tag, TIME));
    expect(await query('SELECT tag_id, status, effect_count FROM customer_tag')).toEqual([
      { tag_id: 't', status: 'GONE', effect_count: 2 },
    ]);
  });

  it('asks WeCom who was there last when a member was deleted and created in one second', async () => {
    wecom.members.add('a');
    await deliver(memberXml('delete_user', 'a', TIME), memberXml('create_user', 'a', TIME));
    expect(wecom.paths).toEqual(['gettoken', 'user/get']);
    expect(await query('SELECT status FROM member')).toEqual([{ status: 'PRESENT' }]);
    expect(await query("SELECT state, unconfirmed FROM saga WHERE entity_type = 'member'")).toEqual([
      { state: 'PRESENT', unconfirmed: 0 },
    ]);
  });

  it('asks WeCom whether a customer came back, and believes it', async () => {
    await deliver(
      customerXml('add_external_contact', 'c', TIME - 9),
      customerXml('del_external_contact', 'c', TIME),
      customerXml('add_external_contact', 'c', TIME),
    );
    expect(wecom.paths).toEqual(['gettoken', 'externalcontact/get']);
    expect(await query('SELECT status FROM customer_relation')).toEqual([{ status: 'DELETED_BY_USER' }]);
  });
});
