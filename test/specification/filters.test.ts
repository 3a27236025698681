// Specification, "List customers query parameters": e-mail address, name and metadata, alone and together.

import {expect, test} from 'vitest';
import {service, type Service} from './service.js';
import {customer} from './stories.js';

/** Three customers; results are written as their first letters, newest first. */
async function three(): Promise<Service> {
  const api = await service();
  await customer(api, {
    name: 'Ana Reyes',
    email: 'ana+shop@example.com',
    metadata: {'Order ID': '12', branch: 'Cebu', 'ñ 漢字': '✓ & =', empty: ''},
  });
  await customer(api, {name: 'Niño Ibañez', email: 'nino@example.com', metadata: {'Order ID': '12', branch: 'Iloilo'}});
  await customer(api, {name: 'Ana Reyes', email: 'reyes@example.com'});
  return api;
}

test.each([
  ['', ['reyes', 'nino', 'ana+shop']],
  ['email=nino%40example.com', ['nino']],
  ['email=nino@example.com', ['nino']],
  ['email=ana%2Bshop%40example.com', ['ana+shop']],
  ['email=nobody@example.com', []],
  ['name=Ana%20Reyes', ['reyes', 'ana+shop']],
  ['name=Ana+Reyes', ['reyes', 'ana+shop']],
  ['name=Ni%C3%B1o%20Iba%C3%B1ez', ['nino']],
  ['name=Nobody', []],
  ['metadata[branch]=Cebu', ['ana+shop']],
  ['metadata%5Bbranch%5D=Cebu', ['ana+shop']],
  ['metadata[Order%20ID]=12', ['nino', 'ana+shop']],
  ['metadata%5BOrder+ID%5D=12', ['nino', 'ana+shop']],
  ['metadata[Order%20ID]=1', []],
  ['metadata[%C3%B1%20%E6%BC%A2%E5%AD%97]=%E2%9C%93%20%26%20%3D', ['ana+shop']],
  ['metadata[empty]=', ['ana+shop']],
  ['metadata[nothing]=x', []],
  ['metadata[toString]=x', []],
  ['metadata[Order%20ID]=12&metadata[branch]=Iloilo', ['nino']],
  ['metadata[Order%20ID]=12&metadata[branch]=Manila', []],
  ['name=Ana%20Reyes&email=reyes@example.com', ['reyes']],
  ['name=Ana%20Reyes&metadata[Order%20ID]=12', ['ana+shop']],
  ['name=Ana%20Reyes&email=nino@example.com', []],
  ['email=&name=', ['reyes', 'nino', 'ana+shop']],
])('GET /customers?%s', async (query, found) => {
  const api = await three();
  const {status, body} = await api.send('GET', `/customers?${query}`);
  expect(status).toBe(200);
  expect(body.data.map(({email}: {email: string}) => email.split('@')[0])).toEqual(found);
  expect(body.has_more).toBe(false);
});

test('pages count only the matches of a filter', async () => {
  const api = await service();
  for (const branch of ['a', 'b', 'a', 'b', 'a', 'b']) await customer(api, {metadata: {branch}});
  const query = '/customers?limit=2&metadata[branch]=a';
  const first = await api.ok('GET', query);
  expect([first.data.length, first.has_more]).toEqual([2, true]);
  const second = await api.ok('GET', `${query}&after=${first.data[1].id}`);
  expect([second.data.length, second.has_more]).toEqual([1, false]);
  const back = await api.ok('GET', `${query}&before=${second.data[0].id}`);
  expect(back).toEqual({...first, has_more: false});
  for (const {metadata} of [...first.data, ...second.data]) expect(metadata).toEqual({branch: 'a'});
});

test('a filter uses current values', async () => {
  const api = await service();
  const {id} = await customer(api, {metadata: {branch: 'Cebu'}});
  await api.ok('PUT', `/customers/${id}`, {metadata: {branch: 'Iloilo'}, name: 'Maria'});
  expect((await api.ok('GET', '/customers?metadata[branch]=Cebu')).data).toEqual([]);
  expect((await api.ok('GET', '/customers?metadata[branch]=Iloilo&name=Maria')).data).toHaveLength(1);
});
