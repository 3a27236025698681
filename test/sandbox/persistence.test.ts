// The database file: persistence, refused files, and four processes at once.

import {execFile} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {fileURLToPath} from 'node:url';
import {afterEach, expect, test} from 'vitest';
import {CentavoError} from '../../src/common/errors.js';
import {createEmbeddedSandbox} from '../../src/sandbox/embedded.js';
import {openSandbox} from '../../src/sandbox/sandbox.js';
import {openDatabase} from '../../src/storage/sqlite.js';
import {DAY, START, world, type Wire} from '../support/sandbox/world.js';

const folders: string[] = [];

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-sandbox-'));
  folders.push(folder);
  return join(folder, 'deep', 'sandbox.db');
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, {recursive: true, force: true});
});

test('a reopened file has its keys, objects, clock and timers', async () => {
  const path = newFile();
  const first = world({path});
  const statement = await first.open({metadata: {ñ: '✓'}});
  first.advance(DAY);
  const {keys} = first.sandbox;
  first.sandbox.close();

  const second = world({path});
  expect(second.sandbox.keys).toEqual(keys);
  expect(second.sandbox.now()).toBe(START + DAY);
  expect(await second.ok('GET', `/billing_statements/${statement.id}`)).toEqual(statement);
  second.advance(20 * DAY);
  expect(second.types().slice(-2)).toEqual(['billing_statement.will_be_due', 'billing_statement.overdue']);
  second.sandbox.close();
});

test('a reset keeps only the keys', async () => {
  const path = newFile();
  const first = world({path});
  await first.open();
  first.sandbox.reset();
  first.sandbox.close();
  const second = world({path});
  expect(second.sandbox.keys).toEqual(first.sandbox.keys);
  expect((await second.ok('GET', '/customers')).data).toEqual([]);
  expect((await second.draft()).merchant_id).toMatch(/^merc_/);
  second.sandbox.close();
});

test('a refused request changes nothing', async () => {
  const w = world();
  const {id} = await w.customer({billing_statement_prefix: 'ABC'});
  const settings = {payment_methods: ['cash']};
  expect(
    (await w.call('POST', '/billing_statements', {customer_id: id, currency: 'PHP', payment_settings: settings}))
      .status,
  ).toBe(400);
  expect((await w.ok('POST', '/billing_statements', {customer_id: id, currency: 'PHP'})).billing_statement_number).toBe(
    'ABC-0001',
  );
});

test('refuses a file of another version, and does not change it', () => {
  const path = newFile();
  openSandbox({path}).close();
  const change = (value: string) => {
    const database = openDatabase(path);
    database.run('UPDATE settings SET value = ? WHERE name = ?', value, 'version');
    database.close();
  };
  change('999');
  expect(() => openSandbox({path})).toThrow(CentavoError);
  expect(() => openSandbox({path})).toThrow(/another version/);
  change('1');
  openSandbox({path}).close();
});

test('refuses a file that is not a database', () => {
  const path = newFile();
  openSandbox({path}).close();
  writeFileSync(path, 'this is no database, however long it is '.repeat(100));
  expect(() => openSandbox({path})).toThrow(CentavoError);
});

test('a listener takes over its webhook that a loaded snapshot brought back', async () => {
  const sandbox = createEmbeddedSandbox({path: newFile()});
  const fields = {url: 'http://127.0.0.1:1/listener', description: 'a', events: ['refund.created']};
  const {id} = sandbox.addWebhook(fields, 'whsk_one');
  expect(sandbox.addWebhook({...fields, description: 'b'}, 'whsk_two')).toEqual({id, secret_key: 'whsk_two'});
  expect(sandbox.addWebhook({...fields, url: 'http://127.0.0.1:1/other'}, 'whsk_one').id).not.toBe(id);
  expect(sandbox.object(id)).toMatchObject({description: 'b', status: 'enabled'});
  sandbox.close();
});

test('four processes write to one new file at once without lost or duplicate numbers', async () => {
  const path = newFile();
  const run = promisify(execFile);
  const writer = fileURLToPath(new URL('../support/sandbox/writer.mjs', import.meta.url));
  // All start at once; the first creates the file and the customer.
  const outputs = await Promise.all(Array.from({length: 4}, () => run(process.execPath, [writer, path, '50'])));
  const told = outputs.flatMap(({stdout}) => JSON.parse(stdout) as {id: string; number: string}[]);
  expect(told).toHaveLength(200);

  const w = world({path});
  const stored: Wire[] = [];
  for (
    let page = await w.ok('GET', '/billing_statements?limit=100');
    ;
    page = await w.ok('GET', `/billing_statements?limit=100&after=${stored.at(-1)!.id}`)
  ) {
    stored.push(...page.data);
    if (!page.has_more) break;
  }
  expect(stored.map(({id}) => id).sort()).toEqual(told.map(({id}) => id).sort());
  const numbers = Array.from({length: 200}, (_, index) => `SHARED-${String(index + 1).padStart(4, '0')}`);
  expect(stored.map(({billing_statement_number: number}) => number).sort()).toEqual(numbers);
  expect(w.types().filter((type) => type === 'billing_statement.created')).toHaveLength(200);
  w.sandbox.close();
});
