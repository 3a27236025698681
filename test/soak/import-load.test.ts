// Thousands of statements against a service that takes 20 ms for each answer: requests, and time beside the least that these
// requests cost. Tens of thousands: memory. And a million rows that are only checked.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, expect, test} from 'vitest';
import {importFile, importService, type ImportService} from '../support/services/import-service.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';

// CENTAVO_ALONE=1 CENTAVO_ROWS=10000 CENTAVO_BIG=40000 on a quiet machine gives the figures of a release.
const COUNT = Number(process.env.CENTAVO_ROWS ?? 4000);
const BIG = Number(process.env.CENTAVO_BIG ?? 12_000);
/** True if nothing else runs on this machine. */
const ALONE = process.env.CENTAVO_ALONE !== undefined;
const CONCURRENCY = 32;
const LATENCY = 20;
const MANY = Number(process.env.CENTAVO_MANY ?? 1_000_000);
const BARE = fileURLToPath(new URL('bare-import.mjs', import.meta.url));

/** Runs a process and looks at its memory, in bytes, and the seconds of processor time it takes. Its stdout is left alone. */
async function measured(args: readonly string[], directory: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...args], {
    env: cliEnvironment(directory, env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const samples: number[] = [];
  let processor = 0;
  const timer = setInterval(() => {
    try {
      samples.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024);
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ').slice(13, 15).map(Number);
      processor = (user! + system!) / 100;
    } catch {}
  }, 250);
  const began = Date.now();
  const [status] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  const quarter = samples[Math.floor(samples.length / 4)] ?? 0;
  return {status, stderr, milliseconds: Date.now() - began, processor, most: Math.max(...samples), quarter};
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** Imports `count` statements and checks that each is billed once. */
async function imported(count: number, latency: number) {
  const service = await importService({latency});
  const directory = temporaryDirectory(afterAll);
  const {text, amounts} = importFile(count);
  writeFileSync(join(directory, 'june.csv'), text);
  const args = ['billing-statements', 'import', join(directory, 'june.csv'), '--send', '--yes', '--quiet'];
  const run = await measured([RUN, ...args, '--concurrency', String(CONCURRENCY)], directory, service.env);
  expect(run).toMatchObject({status: 0, stderr: ''});
  expect(service.emails().size).toBe(count);
  expect(await service.wrong(amounts)).toEqual([]);
  await service.close();
  return {run, service, text};
}

/** The same statements over a bare pool of connections, with as many pages of the list. */
async function bare(text: string, pages: number) {
  const service = await importService({latency: LATENCY});
  const directory = temporaryDirectory(afterAll);
  const customers = new Map<string, {name: string; email: string}>();
  const statements = new Map<string, {external: string; email: string; due: number; items: object[]}>();
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const [external, email, name, description, quantity, price, due] = line.split(',') as [string, ...string[]];
    customers.set(email!, {name: name!, email: email!});
    const statement = statements.get(external) ?? {external, email: email!, due: Date.parse(due!) / 1000, items: []};
    statement.items.push({description, quantity: Number(quantity), unit_price: Math.round(Number(price) * 100)});
    statements.set(external, statement);
  }
  const what = {
    ...{url: service.url, key: service.key, path: join(directory, 'facts.db'), concurrency: CONCURRENCY, pages},
    ...{customers: [...customers.values()], statements: [...statements.values()]},
  };
  writeFileSync(join(directory, 'what.json'), JSON.stringify(what));
  const run = await measured([BARE, join(directory, 'what.json')], directory);
  expect(run).toMatchObject({status: 0, stderr: ''});
  expect(service.emails().size).toBe(statements.size);
  await service.close();
  return {run, service};
}

const asked = ({kinds}: ImportService, kind: string): number => kinds.get(kind) ?? 0;

test(`${COUNT} statements take no more requests and time than they must`, {timeout: 1_800_000}, async () => {
  const {run, service, text} = await imported(COUNT, LATENCY);
  const items = text.split('\n').length - 2;
  const customers = new Set([...text.matchAll(/payer\d+@/g)].map(([who]) => who)).size;
  const pages = asked(service, 'GET /billing_statements');
  const least = await bare(text, pages);
  const ratio = (run.milliseconds - service.pauses) / least.run.milliseconds;
  console.log(
    `${COUNT} statements, ${items} items, ${customers} customers: ${service.requests} requests, ${pages} of them pages of statements; ` +
      `${seconds(run.milliseconds)}, of which ${seconds(service.pauses)} of pauses, ${ratio.toFixed(2)} times a bare pool, ` +
      `${seconds(least.run.milliseconds)} for ${least.service.requests} requests; processor ${run.processor.toFixed(1)} s, ` +
      `bare ${least.run.processor.toFixed(1)} s; memory ${megabytes(run.most)} at most, ${megabytes(run.quarter)} after a quarter of the time`,
  );
  expect(Object.fromEntries(service.kinds)).toEqual({
    'GET /customers': expect.any(Number),
    'GET /billing_statements': expect.any(Number),
    'POST /customers': customers,
    'POST /billing_statements': COUNT,
    'POST /billing_statement_line_items': items,
    'PUT /billing_statements/:id': COUNT,
    'POST /billing_statements/:id/finalize': COUNT,
    'POST /billing_statements/:id/send': COUNT,
  });
  // The account is empty when the file is checked. Later each list is walked once, when all of its kind are made.
  expect(pages).toBeLessThanOrEqual(COUNT / 100 + 2);
  expect(asked(service, 'GET /customers')).toBeLessThanOrEqual(customers / 100 + 2);
  expect(run.most).toBeLessThan(run.quarter + 80e6);
  expect(ratio).toBeLessThanOrEqual(ALONE ? 1.2 : 3);
});

test(`${BIG} statements take no more memory than a few thousand`, {timeout: 3_600_000}, async () => {
  const {run, service} = await imported(BIG, 0);
  console.log(
    `${BIG} statements: ${service.requests} requests, ${seconds(run.milliseconds)}, processor ${run.processor.toFixed(0)} s, ` +
      `${megabytes(run.most)} at most, ${megabytes(run.quarter)} after a quarter of the time`,
  );
  expect(run.most).toBeLessThan(run.quarter + 80e6);
  expect(run.most).toBeLessThan(260e6);
});

test(
  'a service that allows so many requests a second is found by running into it, and nothing is lost',
  {timeout: 300_000},
  async () => {
    const perSecond = 40;
    const service = await importService({perSecond});
    afterAll(() => service.close());
    const directory = temporaryDirectory(afterAll);
    const {text, amounts} = importFile(120);
    writeFileSync(join(directory, 'june.csv'), text);
    const args = ['billing-statements', 'import', join(directory, 'june.csv'), '--send', '--yes', '--quiet'];
    const run = await measured([RUN, ...args, '--concurrency', '16'], directory, service.env);
    expect(run.status, run.stderr).toBe(0);
    expect(await service.wrong(amounts)).toEqual([]);
    expect(service.emails().size).toBe(120);
    const answered = service.requests - service.limited;
    const rate = answered / (run.milliseconds / 1000);
    console.log(
      `${answered} requests answered and ${service.limited} refused in ${run.milliseconds} ms: ${rate.toFixed(0)} of ${perSecond} a second`,
    );
    expect(rate).toBeGreaterThan(perSecond * 0.5);
    expect(service.limited).toBeLessThan(answered);
  },
);

/** A file of `count` statements, with 70 % as many customers. */
function writeMany(path: string, rows: number): void {
  const file = openSync(path, 'w');
  writeSync(file, 'External ID,Customer Email,Customer Name,Item,Qty,Price,Due\r\n');
  const customers = Math.ceil(rows * 0.7);
  const line = (n: number): string =>
    `INV-${n},payer${n % customers}@example.com,Niño Peña,"Web design, page ${n}",2,"15,000.00",2031-12-15\r\n`;
  for (let from = 0; from < rows; from += 1000)
    writeSync(file, Array.from({length: 1000}, (_, at) => line(from + at)).join(''));
  closeSync(file);
}

test(`${MANY} rows are checked in the memory of a hundredth of them`, {timeout: 1_800_000}, async () => {
  const directory = temporaryDirectory(afterAll);
  const path = join(directory, 'many.csv');
  const check = async (rows: number) => {
    writeMany(path, rows);
    const run = await measured([RUN, 'billing-statements', 'import', path, '--send', '--dry-run'], directory);
    expect(run).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`${rows.toLocaleString('en')} billing statements`),
    });
    const times = `${seconds(run.milliseconds)}, ${run.processor.toFixed(0)} s of the processor`;
    console.log(`${rows} rows: ${megabytes(run.most)} at most, ${times}`);
    return run.most;
  };
  const few = await check(MANY / 100);
  expect(await check(MANY)).toBeLessThan(few + 60e6);
});
