// Thousands of statements against a service that takes 20 ms for each answer: memory, requests, and time beside a bare
// pool of connections that sends as many requests.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {Pool} from 'undici';
import {importFile, importService} from '../commands/support/import-service.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../helpers/cli.js';

const COUNT = Number(process.env.CENTAVO_ROWS ?? 2000);
const CONCURRENCY = 32;
const LATENCY = 20;

/** Runs a process and looks at its memory. @returns bytes at most, and in the middle of its run */
async function measured(args: readonly string[], directory: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [RUN, ...args], {env: cliEnvironment(directory, env)});
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const samples: number[] = [];
  const timer = setInterval(() => {
    try {
      samples.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024);
    } catch {}
  }, 500);
  const began = Date.now();
  const [status] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  const quarter = samples[Math.floor(samples.length / 4)] ?? 0;
  return {status, stdout, stderr, milliseconds: Date.now() - began, most: Math.max(...samples), quarter};
}

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
  expect(run.status, run.stderr).toBe(0);
  expect(service.emails().size).toBe(COUNT);
  expect(await service.wrong(amounts)).toEqual([]);
  const {requests} = service;
  // Each customer looked up and created, one look at the list; of each statement the draft, its items, its due date, a look,
  // the finalizing, a look and the sending.
  const least = 2 * customers + 1 + items + 6 * COUNT;
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
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  console.log(
    `${COUNT} statements, ${items} items, ${customers} customers: ${requests} requests of ${least} at least; ` +
      `${(run.milliseconds / 1000).toFixed(0)} s, a bare pool ${(bare / 1000).toFixed(0)} s; ` +
      `memory ${megabytes(run.most)} at most, ${megabytes(run.quarter)} after a quarter of the time`,
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
