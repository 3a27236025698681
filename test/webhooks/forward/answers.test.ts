// A real app's answers: the stored part, the shown words, and the likely cause.

import {expect, test} from 'vitest';
import {gzipSync} from 'node:zlib';
import type {ForwardAttempt} from '../../../src/webhooks/receive/delivery.js';
import {freePort} from '../../support/free-port.js';
import {app, type Said} from '../../support/services/app.js';
import {SELF_SIGNED} from '../../support/client/certificates.js';
import {serveTls} from '../../support/client/tls-server.js';
import {eventBody} from '../../support/webhooks/events.js';
import {forwarding, openStore} from '../../support/webhooks/listener.js';

/** The attempt at one event with each of these answers, as it was reported and as it is stored. */
async function attemptsAt(port: number, count: number, timeoutMilliseconds?: number, scheme = 'http') {
  const attempts: ForwardAttempt[] = [];
  const store = openStore(':memory:');
  const url = new URL(`${scheme}://127.0.0.1:${port}/hook`);
  const onAttempt = (one: ForwardAttempt): void => void attempts.push(one);
  const {post, close, forwarder} = await forwarding(store, url, {retry: false, timeoutMilliseconds, onAttempt});
  for (let index = 0; index < count; index++) await post(eventBody({id: `evt_${index}`, objectId: `o_${index}`}));
  await forwarder.drain(60_000);
  for (const one of attempts) expect(store.forwards.attempts(one.deliveryId)).toEqual([one]);
  await close();
  return attempts;
}

async function answering(...answers: Said[]): Promise<ForwardAttempt[]> {
  const {port} = await app((_, count) => answers[count - 1]!);
  return attemptsAt(port, answers.length);
}

test('keeps shortened headers and body without cookies and credentials', async () => {
  const headers = {
    'X-Long': 'x'.repeat(5000),
    'Set-Cookie': 'sid=hush; Path=/; HttpOnly',
    'Proxy-Authorization': 'Basic hush',
    Authorization: 'hush',
  };
  const body = 'ñ'.repeat(20_000);
  const [long, short] = await answering({status: 200, headers, body}, {status: 200, body: 'x'.repeat(16 * 1024)});
  expect(long!.response).toMatchObject({body: 'ñ'.repeat(8 * 1024), cut: true});
  const kept = new Map(long!.response!.headers.map(([name, value]) => [name, value]));
  expect(kept.get('x-long')).toBe('x'.repeat(1024));
  expect(kept.get('set-cookie')).toBe('sid=[redacted]; Path=/; HttpOnly');
  expect(JSON.stringify(long)).not.toMatch(/hush|authorization/i);
  expect(short!.response).toMatchObject({cut: false});
  expect(long).not.toHaveProperty('excerpt');
});

test.for<[string, string | undefined, Record<string, string>?]>([
  ['{"error":"TypeError: no order"}', 'TypeError: no order'],
  ['{"error":{"code":5,"message":"no order"}}', 'no order'],
  ['{"message":"Server Error","exception":"x"}', 'Server Error'],
  ['{"errors":[{"detail":"is wrong"}]}', 'is wrong'],
  ['{"other":1}', '{"other":1}'],
  ['\n  TypeError: no order  \n   at x.js:1', 'TypeError: no order'],
  [
    '<!DOCTYPE html>\n<html><head><title>Error</title></head>\n<body><style>a{}</style><pre>Cannot POST /x</pre></body>',
    'Cannot POST /x',
  ],
  ['<p>Can&#39;t read &quot;id&quot; of &#x27;a &amp; b&#x27;: &lt;p&gt;</p>', `Can't read "id" of 'a & b': <p>`],
  ['<p>&copy; &#9999999;</p>', '&copy; &#9999999;'],
  ['', undefined],
  ['x'.repeat(1000), 'x'.repeat(200)],
])('shows %j as %j', async ([body, said]) => {
  expect((await answering({status: 500, body}))[0]!.excerpt).toBe(said);
});

test('unpacks and decodes a body', async () => {
  const body = gzipSync(Buffer.from('Walang Pe\xf1a', 'latin1'));
  const headers = {'content-encoding': 'gzip', 'content-type': 'text/plain; charset=iso-8859-1'};
  const [attempt] = await answering({status: 500, headers, body});
  expect(attempt).toMatchObject({excerpt: 'Walang Peña', response: {body: 'Walang Peña', cut: false}});
  expect(attempt!.response!.headers).toContainEqual(['content-encoding', 'gzip']);
});

test('gives each refusal a likely cause and fix in one line', async () => {
  const statuses = [302, 400, 401, 403, 404, 405, 413, 419, 500, 503];
  const causes = (await answering(...statuses)).map(({likelyCause}) => likelyCause!);
  const silent = await app(() => new Promise(() => {}));
  const [late] = await attemptsAt(silent.port, 1, 500);
  const [gone] = await attemptsAt(await freePort(), 1);
  for (const cause of [...causes, late!.likelyCause!, gone!.likelyCause!])
    expect(cause).toMatch(/^[A-Z][^\n]{20,67}\.$/);
  // The listener may be one whose secret `webhooks secret` does not print.
  expect(causes.join()).not.toContain('centavo webhooks');
  expect(causes.map((cause) => /Redirects|signature|login|path|POST|large|CSRF|failed/.exec(cause)?.[0])).toEqual(
    'Redirects,signature,signature,login,path,POST,large,CSRF,failed,failed'.split(','),
  );
  expect(late!.likelyCause).toContain('answer with 200 first');
  expect(gone!.likelyCause).toContain('start your app');
  const [led] = await answering({status: 302, headers: {location: `/login?next=${'x'.repeat(100)}`}});
  expect(led!.likelyCause).toMatch(/^Redirects, here to \/login\?next=x{48}, are not followed: /);
  expect((await answering(418))[0]).not.toHaveProperty('likelyCause');
});

test('names the cause of a failed TLS connection', async () => {
  const {port} = await serveTls({cert: SELF_SIGNED});
  const [unknown] = await attemptsAt(port, 1, undefined, 'https');
  expect(unknown).toMatchObject({
    error: 'the TLS certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    likelyCause: 'Set NODE_EXTRA_CA_CERTS=FILE to trust it.',
  });
  const [plain] = await attemptsAt(port, 1);
  expect(plain!.likelyCause).toMatch(/If it has TLS, use https:/);
});
