// Peak memory of real processes: long files and responses take no more memory than short ones.

import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {recordMany} from '../../support/history/history.js';
import {cli, temporaryDirectory, type CliResult, moduleOf, preload} from '../../support/cli.js';
import {listen, type Listening} from '../../support/services/sockets.js';
import {eventBody} from '../../support/webhooks/events.js';
import {newId, openStore} from '../../support/webhooks/listener.js';

/** Makes the process print its peak at its end. `getrusage` would include the peak of its parent. */
const TELL_PEAK = moduleOf(`
  import {existsSync, readFileSync, writeFileSync} from 'node:fs';
  process.on('exit', () => {
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const kilobytes = /^VmHWM:\\s*(\\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
    writeFileSync(process.env.TEST_PEAK_FILE, String(kilobytes));
  });
`);

/** Megabytes that a long list may add: garbage that is not yet collected. */
const MORE = 48;

/** Runs a command, and returns its peak in megabytes. */
async function peakOf(
  directory: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<CliResult & {readonly peak: number}> {
  const file = join(temporaryDirectory(), 'peak');
  const result = await cli(directory)(words, {env: {...env, ...preload(TELL_PEAK), TEST_PEAK_FILE: file}});
  expect(result, result.stderr).toMatchObject({status: 0});
  return {...result, peak: Number(readFileSync(file, 'utf8')) / 1024};
}

const told = (what: string, short: number, long: number): void =>
  console.info(`${what}: ${Math.round(short)} MB for a short one, ${Math.round(long)} MB for a long one.`);

describe('the history', () => {
  function historyOf(writes: number): string {
    const directory = temporaryDirectory();
    recordMany(directory, writes, (number) => [`bstm_${number}`]);
    return directory;
  }

  test.each<[words: readonly string[], writes: number]>([
    [['--limit', '1'], 150_000],
    [['--all', '-o', 'csv'], 50_000],
  ])('%j of %i writes', async (words, writes) => {
    const short = await peakOf(historyOf(100), ['history', ...words]);
    const long = await peakOf(historyOf(writes), ['history', ...words]);
    expect(long.stdout.match(/finalize/g)).toHaveLength(words[0] === '--all' ? writes : 1);
    told(`history ${words.join(' ')}`, short.peak, long.peak);
    expect(long.peak - short.peak).toBeLessThan(MORE);
  });
});

describe('stored deliveries', () => {
  const COUNT = 10_000;
  const directory = temporaryDirectory(afterAll);

  beforeAll(async () => {
    const path = join(directory, 'deliveries.db');
    const store = openStore(path);
    const body = Buffer.concat([eventBody(), Buffer.alloc(1000, ' ')]);
    const target = 'http://localhost:3000/';
    const work = Array.from({length: COUNT}, async (_, index) => {
      const id = newId();
      const stored = store.record(
        {
          id,
          receivedAt: Date.now() + index,
          profile: 'test',
          path: '/',
          headers: [['User-Agent', 'x'.repeat(200)]],
          body,
          verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: 1},
          event: {type: 'billing_statement.paid', objectId: `bstm_${index}`},
        },
        [target],
      );
      const attempt = {deliveryId: id, target, attempt: 1, startedAt: 1, durationMs: 1, status: 200};
      await Promise.all([stored, store.forwards.recordAttempt(attempt, {settled: true})]);
    });
    await Promise.all(work);
    store.close();
  });

  test.each([[[]], [['-o', 'csv']], [['--json']]])('all of them, %j', async (form) => {
    const words = ['webhooks', 'deliveries', 'list', ...form, '--limit'];
    const short = await peakOf(directory, [...words, '1']);
    const long = await peakOf(directory, [...words, String(COUNT)]);
    expect(long.stdout.match(/bstm_/g)).toHaveLength(COUNT);
    told(words.join(' '), short.peak, long.peak);
    expect(long.peak - short.peak).toBeLessThan(MORE);
  });
});

describe('a list of the service', () => {
  const COUNT = 50_000;
  let server: Listening;

  /** Makes each page when it is asked for. */
  beforeAll(async () => {
    const pages = createServer(({url = ''}, response) => {
      const {searchParams} = new URL(url, 'http://localhost');
      const from = Number(searchParams.get('after')?.slice('cus_'.length) ?? -1) + 1;
      const data = Array.from({length: Math.min(100, COUNT - from)}, (_, index) => ({
        id: `cus_${from + index}`,
        resource: 'customer',
        name: `Juan ${'x'.repeat(100)}`,
        email: `juan${from + index}@example.com`,
        metadata: {branch: 'Cebu'},
      }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({resource: 'list', has_more: from + 100 < COUNT, data}));
    });
    server = await listen(pages);
  });

  afterAll(() => server.close());

  test.each(['jsonl', 'csv'])('all of it as %s', async (form) => {
    const env = {CENTAVO_SECRET_KEY: 'sk_test_0123456789abcdef', CENTAVO_BASE_URL: server.url};
    const words = ['customers', 'list', '-o', form];
    const short = await peakOf(temporaryDirectory(), words, env);
    const long = await peakOf(temporaryDirectory(), [...words, '--all'], env);
    expect(long.stdout.match(/cus_/g)).toHaveLength(COUNT);
    told(words.join(' '), short.peak, long.peak);
    expect(long.peak - short.peak).toBeLessThan(MORE);
  });
});
