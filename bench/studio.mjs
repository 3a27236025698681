// How long pages of the studio take until their first byte, with 13,000 objects and 16,000 events: node bench/studio.mjs

import {get} from 'node:http';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {payStatement} from '../dist/sandbox/payments/pay-statement.js';
import {runAction} from '../dist/sandbox/requests/router.js';
import {openSandbox} from '../dist/sandbox/sandbox.js';
import {serveSandbox} from '../dist/sandbox/serve/sandbox-server.js';
import {controlOf} from '../dist/sandbox/control/control.js';

const STATEMENTS = Number(process.argv[2] ?? 2150);
const RUNS = 15;

const folder = mkdtempSync(join(tmpdir(), 'studio-'));
const path = join(folder, 'sandbox.db');
const sandbox = openSandbox({path});

function fill(tx) {
  const webhook = runAction(tx, 'webhooks:create', {
    url: 'http://127.0.0.1:9/hook',
    events: ['billing_statement.paid'],
  });
  let customer;
  for (let number = 0; number < STATEMENTS; number += 1) {
    if (number % 4 === 0)
      customer = runAction(tx, 'customers:create', {
        name: `Customer ${number}`,
        email: `c${number}@example.com`,
        currency: 'PHP',
      });
    const {id} = runAction(tx, 'billing-statements:create', {customer_id: customer.id, currency: 'PHP'});
    for (const description of ['Design', 'Print'])
      runAction(tx, 'billing-statement-line-items:create', {
        billing_statement_id: id,
        description,
        unit_price: 50_000,
        quantity: 1,
      });
    runAction(tx, 'billing-statements:update', {due_at: tx.now + number * 3600}, id);
    runAction(tx, 'billing-statements:finalize', {}, id);
    runAction(tx, 'billing-statements:send', {}, id);
    if (number % 2 === 0) payStatement(tx, id);
  }
  for (const {id: event_id, type: event_type} of tx.store.list('event', {limit: 10_000}).data)
    tx.store.attempts.add(
      {
        event_id,
        event_type,
        webhook_id: webhook.id,
        url: webhook.url,
        attempt: 1,
        at: tx.now,
        status: 500,
        error: 'no',
        duration_ms: 9,
        outcome: 'given_up',
        next_at: null,
      },
      {signature: 't=1', headers: 'a: b', body: 'no', cut: 0},
    );
}

async function firstByte(url) {
  const started = performance.now();
  return new Promise((resolve, reject) =>
    get(url, {agent: false}, (response) => {
      let size = 0;
      let took;
      response.on('data', (part) => {
        took ??= performance.now() - started;
        size += part.length;
      });
      response.on('end', () => resolve({took, size, status: response.statusCode}));
    }).on('error', reject),
  );
}

sandbox.perform(fill);
const server = await serveSandbox(controlOf(sandbox), {port: 0});
const of = (resource, at = 0) => sandbox.read(({store}) => store.list(resource, {limit: at + 1}).data[at].id);
const authorization = `Basic ${Buffer.from(`${sandbox.keys.secret}:`).toString('base64')}`;
for (let number = 0; number < 1000; number += 1)
  await fetch(`${server.url}/customers`, {
    method: 'POST',
    headers: {authorization, 'content-type': 'application/json'},
    body: '{"name":"N","email":"n@example.com","currency":"PHP"}',
  });
const counts = sandbox.read(({store}) => store.counts());
const events = counts.event;
const objects = Object.values(counts).reduce((sum, count) => sum + count, 0) - events;
console.log(`${objects} objects, ${events} events, ${Math.round(statSync(path).size / 1e6)} MB`);
const pages = [
  '',
  'events',
  'events?type=webhook.none',
  'events?type=billing_statement.paid',
  'deliveries',
  'requests',
  'requests?show=failed',
  'mail',
  'clock',
  'statements',
  'statements?status=void',
  'payments',
  'customers',
  'webhooks',
  'search?q=Customer%2012',
  of('billing_statement', 1),
  of('payment'),
  of('customer', 1005),
  of('event'),
  of('webhook'),
  'pulse',
];
for (const page of pages) {
  const taken = [];
  let last;
  for (let run = 0; run < RUNS; run += 1) taken.push((last = await firstByte(server.studioUrl + page)).took);
  taken.sort((one, other) => one - other);
  console.log(
    `${page.padEnd(46).slice(0, 46)} ${last.status} ${taken[Math.floor(RUNS / 2)].toFixed(1).padStart(7)} ms ${(last.size / 1024).toFixed(1).padStart(6)} KB`,
  );
}
await server.close();
sandbox.close();
if (!process.env.KEEP) rmSync(folder, {recursive: true});
