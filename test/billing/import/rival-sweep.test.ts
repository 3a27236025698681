// Decisions about a row with statements of several imports: which one stays, and which are deleted.

import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {RivalSweep} from '../../../src/billing/import/rival-sweep.js';
import {createClient} from '../../../src/client/client.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {temporaryDirectory} from '../../support/cli.js';

/** A job with one row, and `count` drafts created one second apart. */
async function stage(count: number) {
  let now = 1_800_000_000;
  const sandbox = openSandbox({now: () => now});
  const client = createClient({key: sandbox.keys.secret, transport: sandbox.handle});
  const customer = await client.customers.create({name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
  const drafts: {readonly id: string; readonly created_at: number; readonly status: 'draft'}[] = [];
  for (let made = 0; made < count; made++) {
    now++;
    const draft = {customer_id: customer.id, currency: 'PHP', metadata: {centavo_run: 'mine'}} as const;
    const {id, created_at} = await client.billingStatements.create(draft);
    drafts.push({id, created_at, status: 'draft'});
  }
  const job = JobFile.create(join(temporaryDirectory(), 'jobs', 'job_test.db'), {
    ...{id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'},
    ...{finalize: true, send: true, created_at: now, result_file: null, period: null, digest: ''},
  });
  onTestFinished(() => {
    job.close();
    sandbox.close();
  });
  const row = {external_id: 'JUNE-1', line: 2, customer: customer.id, due: null, due_at: null};
  const n = job.addRow({...row, description: null, metadata: null});
  const sweep = new RivalSweep({client, job, allowDuplicate: false, endedStatements: new Set()});
  const left = async (): Promise<string[]> => {
    const all: string[] = [];
    for await (const {id} of client.billingStatements.list({})) all.unshift(id);
    return all;
  };
  return {client, drafts, job, left, n, sweep};
}

test('keeps the known draft and deletes a late one when no other import runs', async () => {
  for (const [own, late] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const {drafts, job, left, n, sweep} = await stage(2);
    job.setRow(n, {id: drafts[own]!.id, run: 'mine'});
    expect(await sweep.resolveContest({n, extra: [drafts[late]!], rivals: []})).toEqual({
      winner: undefined,
      stays: false,
    });
    expect(await left()).toEqual([drafts[own]!.id]);
  }
});

test('keeps an older draft of another import and deletes all of its own', async () => {
  const {drafts, job, left, n, sweep} = await stage(3);
  const [other, own, late] = drafts;
  job.setRow(n, {id: own!.id, run: 'mine'});
  const {winner, stays} = await sweep.resolveContest({n, extra: [late!], rivals: [{...other!, isSame: true}]});
  expect([winner?.id, stays]).toEqual([other!.id, false]);
  expect(await left()).toEqual([other!.id]);
});

test('keeps its oldest drafts when another import created a later one', async () => {
  const {drafts, job, left, n, sweep} = await stage(3);
  const [late, own, other] = drafts;
  job.setRow(n, {id: own!.id, run: 'mine'});
  const settled = await sweep.resolveContest({n, extra: [late!], rivals: [{...other!, isSame: true}]});
  expect(settled).toEqual({winner: undefined, stays: false});
  expect(await left()).toEqual([late!.id, own!.id, other!.id]);
});

test('keeps a finalized statement of any age, and never deletes another import’s draft', async () => {
  const {drafts, job, left, n, sweep} = await stage(2);
  const [own, other] = drafts;
  job.setRow(n, {id: own!.id, run: 'of another'});
  const {winner, stays} = await sweep.resolveContest({
    n,
    extra: [],
    rivals: [{...other!, status: 'void', isSame: true}],
  });
  expect([winner?.id, stays]).toEqual([other!.id, false]);
  expect(await left()).toEqual([own!.id, other!.id]);
});

test('keeps a late draft when its known draft was deleted and another import’s is younger', async () => {
  const {client, drafts, job, left, n, sweep} = await stage(3);
  const [late, own, other] = drafts;
  job.setRow(n, {id: own!.id, run: 'mine'});
  await client.billingStatements.delete(own!.id);
  const settled = await sweep.resolveContest({n, extra: [late!], rivals: [{...other!, isSame: true}]});
  expect(settled).toEqual({winner: undefined, stays: false});
  expect(await left()).toEqual([late!.id, other!.id]);
});
