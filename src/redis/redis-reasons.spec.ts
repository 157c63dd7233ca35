import { describe, expect, it } from 'vitest';
import { TimeLimitError } from '../runtime/within.js';
import { reasonOf, sendsElsewhere } from './redis-reasons.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:6379'), { code: 'ECONNREFUSED' });
const coded = (code: string): Error =>
  Object.assign(new Error("Host: secret.corp. is not in the cert's altnames"), { code });

describe('reasons for an outage of Redis', () => {
  it.each([
    [new Error("READONLY You can't write against a read only replica. script: 12ab"), 'Redis answered READONLY'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'Redis answered OOM'],
    [new Error("ERR unknown command 'AUTH', with args beginning with: 'secret'"), 'Redis answered ERR'],
    [refused, 'no connection (ECONNREFUSED)'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), "the server's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    [coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), expect.stringMatching(/^the server's certificate is not trusted/)],
    [coded('CERT_HAS_EXPIRED'), expect.stringMatching(/^the server's certificate is not trusted/)],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), expect.stringMatching(/^the server's certificate is for another host/)],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), expect.stringMatching(/^the server wants a certificate/)],
    [coded('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), expect.stringMatching(/^the server refuses the certificate shown/)],
    [new TimeLimitError('Redis', 100), 'Redis took longer than 100 ms'],
    [new Error('Connection is closed.'), 'Connection is closed.'],
    ['not an error', 'unknown'],
  ])('name the kind, and neither hosts nor what was sent (%#)', (error, reason) => {
    expect(reasonOf(error)).toEqual(reason);
  });

  it.each([
    ["READONLY You can't write against a read only replica.", true],
    [
      "ERR Error running script (call to f_12): @user_script:1: -READONLY You can't write against a read only replica.",
      true,
    ],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
    ['CLUSTERDOWN The cluster is down', true],
    ['LOADING Redis is loading the dataset in memory', true],
    ['OOM command not allowed', false],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', false],
  ])('tell when another server has to be asked: %s', (message, elsewhere) => {
    expect(sendsElsewhere(new Error(message))).toBe(elsewhere);
  });
});
