// TLS with a custom certificate authority: only a valid certificate of that authority, for that host, is accepted.

import {execFile} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {CUSTOMER, KEY} from '../support/client/calls.js';
import {AUTHORITY, EXPIRED, OTHER_NAME, SELF_SIGNED} from '../support/client/certificates.js';
import {serveTls} from '../support/client/tls-server.js';

const CLIENT = fileURLToPath(new URL('../support/client/tls-client.mjs', import.meta.url));

/** The outcomes of a read and a write at each URL, in a process that trusts the authority. */
async function callsAt(urls: readonly string[], proxy?: string): Promise<string[]> {
  const file = join(temporaryDirectory(), 'authority.pem');
  writeFileSync(file, AUTHORITY);
  const {stdout} = await promisify(execFile)(process.execPath, [CLIENT, JSON.stringify({key: KEY, urls, proxy})], {
    env: {PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: file},
  });
  return JSON.parse(stdout) as string[];
}

test('accepts a valid certificate; refuses expired, misnamed, self-signed and outdated ones', async () => {
  const good = await serveTls({}, CUSTOMER);
  const bad = await Promise.all([
    serveTls({cert: EXPIRED}, CUSTOMER),
    serveTls({cert: OTHER_NAME}, CUSTOMER),
    serveTls({cert: SELF_SIGNED}, CUSTOMER),
    serveTls({minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0'}, CUSTOMER),
  ]);
  const results = await callsAt([good, ...bad].map(({url}) => url));
  expect(results.slice(0, 2)).toEqual(['cus_2mQ8', 'cus_2mQ8']);
  const reasons = [
    /has expired \(CERT_HAS_EXPIRED\)\. Renew it, /,
    /is for another host name \(ERR_TLS_CERT_ALTNAME_INVALID\)\. Use a host name /,
    /is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Set NODE_EXTRA_CA_CERTS=FILE /,
    /no common version of TLS \(.*PROTOCOL\w*\)\. Enable TLS 1\.2 /i,
  ];
  for (const [index, reason] of reasons.entries()) {
    const [read, write] = results.slice(2 + 2 * index);
    expect(read).toMatch(/^unavailable - false /);
    expect(write).toMatch(/^unavailable no false /);
    expect(read).toMatch(reason);
    expect(write).toMatch(reason);
  }
  expect(bad.map(({requests}) => requests())).toEqual([0, 0, 0, 0]);
});
