// Two shops at work at once, each in its own project on one machine: no event, customer or number crosses.

import {createServer} from 'node:http';
import {mkdirSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {watch} from '../../support/processes.js';
import {running} from '../../support/scenarios/listening.js';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {SEED} from '../../support/seed.js';

/** An app that notes the ids of the objects whose events it gets. */
async function app() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push((JSON.parse(body) as {data: {id: string}}).data.id);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return {seen, port: (server.address() as AddressInfo).port};
}

const STEPS = 60;

test('an hour of work in two projects', async () => {
  const random = seededRandom(SEED);
  const data = temporaryDirectory();
  const run = commandsIn(data);
  const shops = await Promise.all(
    ['ana', 'ben'].map(async (name) => {
      const folder = join(realpathSync(temporaryDirectory()), name);
      mkdirSync(folder);
      const {seen, port} = await app();
      const words = ['dev', '--json', '--port', '0', '--forward-to', `${port}/hook`, '--project', name];
      const dev = running(data, words, {cwd: folder, isProcess: true});
      await dev.next('ready');
      const own: string[] = [];
      const say = async (...line: string[]): Promise<any> => {
        const result = await run([...line, '--project', name, '--json', '--yes'], {env: {CENTAVO_PROFILE: 'sandbox'}});
        expect(result.status, `seed ${SEED}: ${line.join(' ')}: ${result.stderr}`).toBe(0);
        return result.json();
      };
      const {id} = await say(
        'customers',
        'create',
        '--name',
        name,
        '--email',
        `${name}@ex.com`,
        '--billing-statement-prefix',
        'SAME',
      );
      return {name, seen, dev, own, say, customer: id as string};
    }),
  );
  for (let step = 0; step < STEPS; step += 1) {
    const {say, own, customer} = shops[random() < 0.5 ? 0 : 1]!;
    const chance = random();
    const paid = own[Math.floor(random() * own.length)];
    if (paid === undefined || chance < 0.5) {
      const bill = ['--item', 'Web@100', '--due', '+30d', '--finalize', '--allow-duplicate'];
      own.push((await say('billing-statements', 'create', '--customer', customer, ...bill)).id);
    } else if (chance < 0.8) {
      own.splice(own.indexOf(paid), 1);
      await say('sandbox', 'pay', paid);
    } else await say('billing-statements', 'list');
  }
  // Each list holds its own statements only, under the same numbers.
  const lists = await Promise.all(shops.map(({say}) => say('billing-statements', 'list', '--limit', '100')));
  const idsOf = ({data}: {data: {id: string}[]}): string[] => data.map(({id}) => id);
  const [first, second] = lists.map(idsOf) as [string[], string[]];
  expect(first.filter((id) => second.includes(id))).toEqual([]);
  expect(lists[0].data.at(-1).billing_statement_number).toBe(lists[1].data.at(-1).billing_statement_number);
  for (const {name, dev, seen, say} of shops) {
    const events = (await say('sandbox', 'events', '--limit', '100')).data as {data: {id: string}}[];
    expect(events.length).toBeGreaterThan(5);
    // The list of deliveries, from which a replay is chosen, leaves out the other project.
    const {data} = await say('webhooks', 'deliveries', 'list', '--limit', '1000');
    const listed = new Set((data as {object_id: string}[]).map(({object_id}) => object_id));
    expect(listed.size).toBeGreaterThan(3);
    for (const other of shops) if (other.name !== name) expect(other.seen.filter((id) => listed.has(id))).toEqual([]);
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(events.length);
    expect(await dev.stop(), name).toBe(130);
  }
  const [ofFirst, ofSecond] = shops.map(({seen}) => seen) as [string[], string[]];
  expect(ofFirst.filter((id) => ofSecond.includes(id))).toEqual([]);
  expect(ofFirst.filter((id) => second.includes(id))).toEqual([]);
  expect(ofSecond.filter((id) => first.includes(id))).toEqual([]);
});

test('names the listener of another folder that gets the same events, and the command for a project of its own', async () => {
  const data = temporaryDirectory();
  const folders = ['shop-one', 'Shop Two'].map((name) => join(realpathSync(temporaryDirectory()), name));
  for (const folder of folders) mkdirSync(folder);
  const first = running(data, ['webhooks', 'listen', '--json', '--profile', 'sandbox'], {
    cwd: folders[0],
    isProcess: true,
  });
  await first.next('ready');
  const second = watch(data, ['dev', '--port', '0'], {cwd: folders[1]});
  await second.until(/PAYREX_WEBHOOK_SECRET=/);
  const line = second
    .stderr()
    .split('\n')
    .find((text) => text.includes('also gets the events'))!;
  expect(line).toBe(
    `${folders[0]} also gets the events of this sandbox. For one of your own: centavo dev --project shop-two --port 0`,
  );
  second.child.kill('SIGINT');
  await second.ended;
  const own = watch(data, [...line.split('centavo ')[1]!.split(' ')], {cwd: folders[1]});
  await own.until(/ready at \S+ \(project shop-two\)\n/);
  await own.until(/PAYREX_WEBHOOK_SECRET=/);
  expect(own.stderr()).not.toContain('also gets the events');
  const removed = await commandsIn(data)(['sandbox', 'projects', 'remove', 'shop-two', '--yes']);
  expect(removed.stderr).toMatch(/^Error: project shop-two is in use by the server at http/m);
  own.child.kill('SIGINT');
  await own.ended;
  await first.stop();
  expect((await commandsIn(data)(['sandbox', 'projects', 'remove', 'shop-two', '--yes'])).status).toBe(0);
});

test('a program that dev starts uses its project', async () => {
  const data = temporaryDirectory();
  const source = 'console.log("project", process.env.CENTAVO_PROJECT); setInterval(() => {}, 1e6)';
  const shown = watch(data, ['dev', '--port', '0', '--project', 'shop', '--', process.execPath, '-e', source], {
    env: {CENTAVO_PROJECT: 'other'},
  });
  await shown.until(/^project shop$/m);
  shown.child.kill('SIGINT');
  await shown.ended;
});
