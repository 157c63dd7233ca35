import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CliWorld } from '../../test/support/cli-world.js';
import { envelopeOf, queryString, seal } from '../../test/support/sealer.js';
import { approvalXml } from '../../test/support/texts.js';

const APP = {
  token: 'aToken',
  encodingAESKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
  receiveId: 'ww1234567890abcdef',
};
const OTHER_KEY = 'GFEDCBA9876543210zyxwvutsrqponmlkjihgfedcba';
const TEXT = approvalXml('202612010001', 1, 1_796_000_400);

describe('decrypt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wecom-decrypt-'));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const apps = file('apps.json', JSON.stringify({ crm: APP, other: { ...APP, encodingAESKey: OTHER_KEY } }));
  const { encrypt, query } = seal(APP, TEXT);
  const body = envelopeOf(APP, encrypt);
  const signed = queryString(query);

  afterAll(() => rmSync(folder, { recursive: true }));

  async function decrypt(input: string, ...flags: string[]): Promise<{ code: number | null; world: CliWorld }> {
    const world = new CliWorld({}, [input]);
    return { code: await world.run('decrypt', '--apps', apps, ...flags), world };
  }

  it('puts the plaintext alone on standard output', async () => {
    const { code, world } = await decrypt(body, '--app', 'crm', '--query', signed);
    expect([code, world.stdout]).toEqual([0, `${TEXT}\n`]);
    expect(world.stderr).toContain('eventType sys_approval_change');
    expect(world.stderr).not.toContain('warning');
  });

  it('reads a whole request, whose path names the app', async () => {
    const request = `POST /wecom/callbacks/crm?${signed} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n\r\n${body}`;
    const { code, world } = await decrypt(request, '--json');
    expect([code, world.json]).toMatchObject([0, { app: 'crm', signature: 'right', plaintext: TEXT, notParsed: null }]);
    const path = file('request.txt', request);
    const fromFile = new CliWorld();
    expect(await fromFile.run('decrypt', path, '--apps', apps, '--json')).toBe(0);
    expect(fromFile.json).toEqual(world.json);
  });

  it('reads a URL verification, which has no body', async () => {
    const { encrypt: echo, query: echoQuery } = seal(APP, '1234567890');
    const url = `https://host/wecom/callbacks/crm?${queryString({ ...echoQuery, echostr: echo })}`;
    const { code, world } = await decrypt('', '--query', url);
    expect([code, world.stdout]).toEqual([0, '1234567890\n']);
  });

  it('says that without a query the signature was not checked', async () => {
    const { code, world } = await decrypt(body, '--app', 'crm', '--json');
    expect([code, world.json]).toMatchObject([0, { signature: 'not-checked' }]);
  });

  it.each([
    ['a changed query', body, `${signed}x`.replace('nonce=', 'nonce=0'), 'crm', 'but the key opens it'],
    ['another app’s keys', body, signed, 'other', 'cannot be decrypted'],
    ['a cut text', body.replace(encrypt, encrypt.slice(0, -8)), '', 'crm', 'cannot be decrypted'],
    ['no envelope', '<xml></xml>', signed, 'crm', 'exactly one Encrypt'],
    ['a parameter twice', body, `${signed}&nonce=1`, 'crm', 'exactly one nonce'],
  ])('refuses %s and says why', async (_, input, given, app, reason) => {
    const flags = given === '' ? [] : ['--query', given];
    const { code, world } = await decrypt(input, '--app', app, ...flags);
    expect([code, world.stdout]).toEqual([1, '']);
    expect(world.stderr).toContain(reason);
  });

  it('tells a wrong corp id', async () => {
    const foreign = seal(APP, TEXT, 'wwsomebodyelse');
    const { code, world } = await decrypt(envelopeOf(APP, foreign.encrypt), '--app', 'crm');
    expect([code, world.stderr]).toEqual([1, expect.stringContaining('wrong corp id')]);
  });

  it('needs input, a file that exists, and an app that is named', async () => {
    expect((await decrypt('', '--app', 'crm')).code).toBe(2);
    expect((await decrypt(body)).world.stderr).toContain('crm, other');
    expect(await new CliWorld().run('decrypt', join(folder, 'missing'), '--apps', apps, '--app', 'crm')).toBe(2);
    expect(await new CliWorld().run('decrypt', '-', '--apps', join(folder, 'missing'))).toBe(2);
  });
});
