// Answers of the API that are packed, or in another charset, by a proxy between.

import {createServer} from 'node:http';
import {gzipSync} from 'node:zlib';
import {expect, onTestFinished, test} from 'vitest';
import {createClient} from '../../src/client/client.js';
import {CUSTOMER, KEY} from '../support/client/calls.js';
import {listen} from '../support/services/sockets.js';

async function clientOf(status: number, headers: Record<string, string>, body: Uint8Array) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  const {port} = await listen(server, onTestFinished);
  const client = createClient({key: KEY, baseUrl: `http://127.0.0.1:${port}`, sleep: async () => {}});
  onTestFinished(() => client.close());
  return client;
}

const object = (name: string): Buffer => Buffer.from(JSON.stringify({...CUSTOMER, name}));

test('reads an object in gzip and in Latin-1', async () => {
  const packed = await clientOf(200, {'content-encoding': 'gzip'}, gzipSync(object('Niño')));
  expect(await packed.customers.get('cus_2mQ8')).toMatchObject({name: 'Niño'});
  const latin = Buffer.from(object('Niño').toString(), 'latin1');
  const decoded = await clientOf(200, {'content-type': 'application/json; charset=ISO-8859-1'}, latin);
  expect(await decoded.customers.get('cus_2mQ8')).toMatchObject({name: 'Niño'});
});

test('shows the words of a refusal in gzip', async () => {
  const refusal = gzipSync('{"errors":[{"code":"bad","detail":"Bawal si Niño."}]}');
  const client = await clientOf(400, {'content-encoding': 'gzip'}, refusal);
  await expect(client.customers.get('cus_2mQ8')).rejects.toMatchObject({
    kind: 'rejected',
    details: {apiErrors: [{code: 'bad', detail: 'Bawal si Niño.'}]},
  });
});

test('names the format that it cannot unpack', async () => {
  const client = await clientOf(200, {'content-encoding': 'pied-piper'}, gzipSync(object('Ana')));
  await expect(client.customers.get('cus_2mQ8')).rejects.toMatchObject({
    code: 'unusable_answer',
    details: {why: 'The response is compressed (pied-piper) and cannot be unpacked.'},
  });
});
