// Aimed failures among processes: three servers of one file, and three commands at once.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {watch} from '../../support/processes.js';

const env = {CENTAVO_PROFILE: 'sandbox'};
const directory = temporaryDirectory(afterAll);
const run = cli(directory, {env});
const THREE = [0, 1, 2];

interface Entry {
  readonly method: string;
  readonly simulated: string | null;
}

const customers = async (): Promise<number> =>
  (await run(['customers', 'list', '--limit', '100', '--json'])).rows().length;
const failure = async (words: readonly string[]): Promise<string> =>
  `failure ${(await run(['sandbox', 'fail', 'customers.create', ...words, '--times', '1', '--json'])).json().id}`;
/** Requests that took this failure. A server writes its log some time after the response. */
async function takenBy(name: string): Promise<readonly Entry[]> {
  for (;;) {
    const entries = (await run(['sandbox', 'logs', '--all', '--json'])).rows<Entry>();
    const taken = entries.filter(({simulated}) => simulated === name);
    if (taken.length > 0) return taken;
  }
}

const KINDS = [
  [['--status', '503'], 503, 2],
  [['--status', '500', '--applied'], 500, 3],
  [['--drop', 'before'], 'closed', 2],
  [['--drop', 'after'], 'closed', 3],
  [['--delay', '2s'], 'late', 3],
  [['--delay', '1s', '--status', '429'], 429, 2],
] as const;

describe('three servers of one file', () => {
  let servers: {readonly url: string; readonly secret_key: string}[];
  const serving = THREE.map(() => watch(directory, ['sandbox', 'serve', '--port', '0', '--json'], {env}));
  beforeAll(async () => {
    servers = await Promise.all(
      serving.map(async ({until}) => JSON.parse((await until(/^.*\n/))[0]) as (typeof servers)[number]),
    );
  });
  afterAll(async () => {
    for (const {child} of serving) child.kill('SIGTERM');
    await Promise.all(serving.map(({ended}) => ended));
  });

  const outcomeOf = async ({url, secret_key: key}: (typeof servers)[number]): Promise<number | string> => {
    const began = performance.now();
    const sent = fetch(`${url}/customers`, {
      method: 'POST',
      headers: {authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json'},
      body: JSON.stringify({name: 'Ana', email: 'ana@example.com', currency: 'PHP'}),
    });
    const status = await sent.then((answer) => answer.status).catch(() => 'closed');
    return performance.now() - began > 1900 ? 'late' : status;
  };

  test.each(KINDS)('%j: exactly one of three requests takes it', async (words, outcome, made) => {
    const before = await customers();
    const name = await failure(words);
    const outcomes = await Promise.all(servers.map(outcomeOf));
    expect(outcomes.map(String).sort()).toEqual(['200', '200', String(outcome)].sort());
    expect((await customers()) - before).toBe(made);
    expect((await run(['sandbox', 'fail', '--json'])).rows()).toEqual([]);
    expect(await takenBy(name)).toMatchObject([{method: 'POST'}]);
  });

  test('a request that waits lets others pass', async () => {
    await failure(['--delay', '5s']);
    const waiting = outcomeOf(servers[0]!);
    // Taken, so that the others do not take it.
    while ((await run(['sandbox', 'fail', '--json'])).rows().length > 0);
    expect(await Promise.all(servers.map(outcomeOf))).toEqual([200, 200, 200]);
    expect(await waiting).toBe('late');
  });
});

test('serve says at its start what is aimed, and marks the request that takes it', async () => {
  const name = await failure(['--status', '500']);
  const serving = watch(directory, ['sandbox', 'serve', '--port', '0'], {env});
  const [, url, key] = await serving.until(/ready at (\S+)[\s\S]*secret key {2}(\S+)/);
  expect(serving.stderr()).toContain('1 failure is aimed: POST /customers gets HTTP 500 once');
  const headers = {authorization: `Basic ${btoa(`${key}:`)}`};
  expect((await fetch(`${url}/customers`, {method: 'POST', headers})).status).toBe(500);
  const line = `POST /customers  500 internal_system_error (${name})`;
  await serving.find(() => serving.stderr().includes(line) || undefined, 'The request has no mark.');
  serving.child.kill('SIGTERM');
  await serving.ended;
});

describe('three commands at once', () => {
  test.each(KINDS.filter(([, outcome]) => outcome !== 'late' && outcome !== 429))(
    '%j: exactly one takes it',
    async (words, _, made) => {
      const before = await customers();
      const name = await failure([...words, '--own']);
      const create = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com', '--json'];
      const results = await Promise.all(THREE.map(() => run(create)));
      const failed = results.filter(({status}) => status !== 0);
      expect(failed.map((each) => each.error())).toMatchObject([{code: 'outcome_unknown', applied: 'unknown'}]);
      expect(failed[0]!.stderr.toLowerCase()).toContain(`simulated ${name}`);
      expect((await customers()) - before).toBe(made);
      expect(await takenBy(name)).toMatchObject([{method: 'POST'}]);
    },
  );
});
