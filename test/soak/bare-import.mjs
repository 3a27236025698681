// What an import costs at the least: its requests over a bare pool of connections, each recorded on the disk before the next one; those that end together share a write. It looks nothing up, doubts nothing and waits for nothing.
// node bare-import.mjs WHAT.json

import {readFileSync} from 'node:fs';
import {Pool} from 'undici';
import {openDatabase} from '../../dist/storage/sqlite.js';

const {url, key, path, concurrency, customers, statements, pages} = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const pool = new Pool(url, {connections: concurrency, pipelining: 1});
const headers = {
  authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  'content-type': 'application/json',
};

const database = openDatabase(path);
database.exec('CREATE TABLE fact (n INTEGER PRIMARY KEY, text TEXT); BEGIN IMMEDIATE');
const insert = 'INSERT INTO fact (text) VALUES (?)';
let committing;
function record(text) {
  database.run(insert, text);
  committing ??= new Promise((resolve) => {
    setImmediate(() => {
      committing = undefined;
      database.exec('COMMIT; BEGIN IMMEDIATE');
      resolve();
    });
  });
  return committing;
}

async function ask(method, target, body) {
  const answer = await pool.request({method, path: target, headers, ...(body && {body: JSON.stringify(body)})});
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${target}: ${answer.statusCode} ${text}`);
  const made = text ? JSON.parse(text) : {};
  if (method !== 'GET') await record(`${method} ${target} ${made.id}`);
  return made;
}

async function each(all, work) {
  let next = 0;
  const worker = async () => {
    while (next < all.length) await work(all[next++]);
  };
  await Promise.all(Array.from({length: concurrency}, worker));
}

/** Reads so many pages of the statements, from the newest on. */
async function read(count) {
  let after = '';
  for (let n = 0; n < count; n++) {
    const {data, has_more: more} = await ask('GET', `/billing_statements?limit=100${after}`);
    after = more ? `&after=${data.at(-1).id}` : '';
  }
}

const payers = new Map();
await each(customers, async ({name, email}) => {
  const {id} = await ask('POST', '/customers', {name, email, currency: 'PHP', metadata: {key: email}});
  payers.set(email, id);
});
const ids = new Map();
await each(statements, async ({external, email, items}) => {
  const customer = payers.get(email);
  const metadata = {external_id: external, centavo_key: external, centavo_run: external};
  const {id} = await ask('POST', '/billing_statements', {currency: 'PHP', customer_id: customer, metadata});
  ids.set(external, id);
  for (const item of items) await ask('POST', '/billing_statement_line_items', {billing_statement_id: id, ...item});
});
await read(pages);
await each(statements, async ({external, due}) => {
  const target = `/billing_statements/${ids.get(external)}`;
  await ask('PUT', target, {due_at: due});
  await ask('POST', `${target}/finalize`);
  await ask('POST', `${target}/send`);
});
database.exec('COMMIT');
database.close();
await pool.close();
