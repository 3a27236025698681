// Thousands of statements against a service that takes 20 ms for each answer: memory, requests, and time beside a bare
// pool of connections that sends as many requests. And a million rows that are only checked.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {Pool} from 'undici';
import {importFile, importService} from '../support/services/import-service.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';

const COUNT = Number(process.env.CENTAVO_ROWS ?? 2000);
const CONCURRENCY = 32;
const LATENCY = 20;
const MANY = Number(process.env.CENTAVO_MANY ?? 1_000_000);

/** Runs a process and looks at its memory, in bytes, and the seconds of processor time it takes. Its stdout is left alone. */
async function measured(args: readonly string[], directory: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [RUN, ...args], {
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

test(`${COUNT} statements take no more memory, requests and time than they must`, {timeout: 1_800_000}, async () => {
  const service = await importService({latency: LATENCY});
  afterAll(() => service.close());
  const directory = temporaryDirectory(afterAll);
  const {text, amounts} = importFile(COUNT);
  const items = text.split('\n').length - 2;
  const customers = new Set([...text.matchAll(/payer\d+@/g)].map(([who]) => who)).size;
  writeFileSync(join(directory, 'june.csv'), text);
  const args = ['billing-statements', 'import', join(directory, 'june.csv'), '--send', '--yes', '--quiet'];
  const run = await measured([...args, '--concurrency', String(CONCURRENCY)], directory, service.env);
  expect(run).toMatchObject({status: 0, stderr: ''});
  expect(service.emails().size).toBe(COUNT);
  expect(await service.wrong(amounts)).toEqual([]);
  const {requests} = service;
  // The lists of customers and of statements, each new customer; of each statement the draft, its items, its due date, a look,
  // the finalizing, a look and the sending.
  const least = 2 + customers + items + 6 * COUNT;
  expect(requests).toBeLessThanOrEqual(least * 1.01);

  const pool = new Pool(service.url, {connections: CONCURRENCY, pipelining: 1});
  const authorization = `Basic ${Buffer.from(`${service.key}:`).toString('base64')}`;
  const body = JSON.stringify({name: 'A', email: 'a@example.com', currency: 'PHP'});
  let left = requests;
  const began = Date.now();
  await Promise.all(
    Array.from({length: CONCURRENCY}, async () => {
      while (left-- > 0) {
        const answer = await pool.request({
          method: 'POST',
          path: '/customers',
          headers: {authorization, 'content-type': 'application/json'},
          body,
        });
        await answer.body.dump();
      }
    }),
  );
  const bare = Date.now() - began;
  await pool.close();
  console.log(
    `${COUNT} statements, ${items} items, ${customers} customers: ${requests} requests of ${least} at least; ` +
      `${(run.milliseconds / 1000).toFixed(0)} s, a bare pool ${(bare / 1000).toFixed(0)} s; ` +
      `${run.processor.toFixed(1)} s of the processor; memory ${megabytes(run.most)} at most, ${megabytes(run.quarter)} after a quarter of the time`,
  );
  expect(run.most).toBeLessThan(run.quarter + 80e6);
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
    const run = await measured([...args, '--concurrency', '16'], directory, service.env);
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

/** A file of so many statements for seven customers in ten of them. */
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
    const run = await measured(['billing-statements', 'import', path, '--send', '--dry-run'], directory);
    expect(run).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`${rows.toLocaleString('en')} billing statements`),
    });
    const seconds = `${(run.milliseconds / 1000).toFixed(0)} s, ${run.processor.toFixed(0)} s of the processor`;
    console.log(`${rows} rows: ${megabytes(run.most)} at most, ${seconds}`);
    return run.most;
  };
  const few = await check(MANY / 100);
  expect(await check(MANY)).toBeLessThan(few + 60e6);
});
