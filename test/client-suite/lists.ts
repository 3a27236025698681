// Part of the client suite: a list is awaited for one page, or iterated for all items.

import {describe, expect, test} from 'vitest';
import type {Client} from '../../src/client/client.js';
import {customer, draft, session, webhook} from './stories.js';
import type {Start} from './suite.js';

type Topic = 'billingStatements' | 'checkoutSessions' | 'customers' | 'webhooks';

const makers: Record<Topic, (client: Client) => Promise<{id: string}>> = {
  customers: customer,
  billingStatements: draft,
  checkoutSessions: session,
  webhooks: webhook,
};

/** Newest first. */
async function fill(client: Client, topic: Topic, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.unshift((await makers[topic](client)).id);
  return ids;
}

const idsOf = (page: {data: readonly {id: string}[]}): string[] => page.data.map(({id}) => id);

async function all(pages: AsyncIterable<{id: string}>): Promise<string[]> {
  const ids: string[] = [];
  for await (const {id} of pages) ids.push(id);
  return ids;
}

export function lists(start: Start): void {
  describe.each(Object.keys(makers) as Topic[])('a list of %s', (topic) => {
    test('returns one page when awaited', async () => {
      const {client} = await start();
      const ids = await fill(client, topic, 3);
      const page = await client[topic].list({limit: 2});
      expect([page.resource, idsOf(page), page.has_more]).toEqual(['list', ids.slice(0, 2), true]);
      const next = await client[topic].list({limit: 2, after: ids[1]});
      expect([idsOf(next), next.has_more]).toEqual([ids.slice(2), false]);
      expect(idsOf(await client[topic].list())).toEqual(ids);
    });

    test('returns every item of every page once when iterated', async () => {
      const {client} = await start();
      const ids = await fill(client, topic, 5);
      expect(await all(client[topic].list({limit: 2}))).toEqual(ids);
      expect(await all(client[topic].list())).toEqual(ids);
      expect(await all(client[topic].list({limit: 1, after: ids[1]}))).toEqual(ids.slice(2));
    });
  });

  test('iterates towards newer items from a before cursor', async () => {
    const {client} = await start();
    const ids = await fill(client, 'customers', 5);
    const pages: string[][] = [];
    for await (const page of client.customers.list({limit: 2, before: ids[4]}).pages()) pages.push(idsOf(page));
    expect(pages).toEqual([ids.slice(2, 4), ids.slice(0, 2)]);
  });

  test('keeps its filter from page to page', async () => {
    const {client} = await start();
    const wanted: string[] = [];
    for (const branch of ['Cebu', 'Iloilo', 'Cebu', 'Iloilo', 'Cebu']) {
      const {id} = await customer(client, {name: `Ana ${branch}`, metadata: {'Sari branch': branch}});
      if (branch === 'Cebu') wanted.unshift(id);
    }
    expect(await all(client.customers.list({limit: 1, metadata: {'Sari branch': 'Cebu'}}))).toEqual(wanted);
    expect(await all(client.customers.list({limit: 2, name: 'Ana Cebu', email: 'juan@example.com'}))).toEqual(wanted);
  });

  test('filters webhooks by url and description', async () => {
    const {client} = await start();
    const {id} = await webhook(client, {url: 'https://shop.example/a?b=c&d', description: 'Mga order & iba pa'});
    await webhook(client, {url: 'https://other.example/hooks'});
    expect(await all(client.webhooks.list({url: 'https://shop.example/a?b=c&d'}))).toEqual([id]);
    expect(await all(client.webhooks.list({description: 'Mga order & iba pa'}))).toEqual([id]);
  });

  test('ends at once when the list is empty', async () => {
    const {client} = await start();
    expect(await client.customers.list()).toEqual({resource: 'list', has_more: false, data: []});
    expect(await all(client.customers.list())).toEqual([]);
  });

  test('sends nothing until it is awaited or iterated', async () => {
    const {connect, sandbox} = await start();
    const sent: string[] = [];
    const watched = connect({key: sandbox.keys.secret, onAttempt: ({path}) => sent.push(path)});
    const pages = watched.customers.list();
    expect(sent).toEqual([]);
    await pages;
    expect(sent).toEqual(['/customers']);
  });
}
