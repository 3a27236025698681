// Each verb on a billing statement in each state of its money: the words, in one file to read line by line.

import {cpSync, rmSync} from 'node:fs';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {redirectPayer} from '../../../src/sandbox/payments/pay-statement.js';
import type {StoredRecord} from '../../../src/sandbox/store.js';
import {cli, temporaryDirectory, type CliResult} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {DAY, type Wire} from '../../support/sandbox/account.js';
import {skippedOn} from '../../support/skipped-time.js';

/** Wednesday, 27 January 2027, 09:00 in Manila: unix seconds. */
const START = Date.UTC(2027, 0, 27, 1) / 1000;
/** Commands whose clock only their own waits move. */
const machineIn = (directory: string) =>
  commandsIn(directory, {now: () => START * 1000 + skippedOn(directory), pace: 0, env: {BROWSER: 'none'}});

interface Stage {
  readonly merchant: Merchant;
  readonly run: ReturnType<typeof machineIn>;
  /** The open statement of ₱1,500.00. */
  readonly id: string;
}

/** Brings an open statement into a state. */
type State = (stage: Stage) => Promise<unknown> | unknown;

const command =
  (...words: string[]): State =>
  async ({run, id}) => {
    const result = await run(words.map((word) => (word === 'ID' ? id : word)));
    if (result.status !== 0) throw new Error(`${words.join(' ')}: ${result.stderr}`);
    return result;
  };
const inOrder =
  (...all: State[]): State =>
  async (stage) => {
    for (const each of all) await each(stage);
  };

/** Sets a status of the intent that a statement of the sandbox never keeps: other services do. */
const intentStatus =
  (status: string): State =>
  ({merchant, id}) =>
    merchant.sandbox.perform((tx) => {
      const statement = tx.peek(id) as StoredRecord;
      const intent = tx.peek(statement._payment_intent_id as string) as StoredRecord;
      tx.change(intent, {status, ...(status === 'awaiting_capture' && {amount_capturable: intent.amount})});
    });

const BILL = 'billing-statements';
const pay = command('sandbox', 'pay', 'ID', '--method', 'gcash');
const refund = (pesos: string): State =>
  command('refunds', 'create', '--statement', 'ID', '--amount', pesos, '--reason', 'others', '--yes');
const settle = (...more: string[]): State => command(BILL, 'settle', 'ID', '--paid-outside', 'cash', '--yes', ...more);
const reissue = command(BILL, 'reissue', 'ID', '--due', '+30d', '--yes');
const redirect =
  (method: {readonly card?: string; readonly method?: string}): State =>
  ({merchant, id}) =>
    merchant.sandbox.perform((tx) => redirectPayer(tx, id, method));

const STATES: Readonly<Record<string, State>> = {
  open: () => {},
  overdue: ({merchant}) => merchant.sandbox.advanceClock(15 * DAY),
  'approving (3-D Secure)': command('sandbox', 'pay', 'ID', '--card', '4000000000003220'),
  'approving (QR Ph)': redirect({method: 'qrph'}),
  held: intentStatus('awaiting_capture'),
  processing: intentStatus('processing'),
  paid: pay,
  partly_refunded: inOrder(pay, refund('500')),
  refunded: inOrder(pay, refund('1500')),
  settled: settle(),
  'settled (uncollectible)': settle('--uncollectible'),
  replaced: reissue,
  'replaced by a void one': inOrder(reissue, async ({merchant}) => {
    const {data} = await merchant.call('GET', '/billing_statements');
    const {id} = (data as Wire[]).find(({status}) => status === 'open')!;
    await merchant.call('POST', `/billing_statements/${id}/void`);
  }),
  void: command(BILL, 'void', 'ID', '--yes'),
  'void, from another machine': ({merchant, id}) => merchant.call('POST', `/billing_statements/${id}/void`),
  uncollectible: command(BILL, 'mark-uncollectible', 'ID', '--yes'),
};

const VERBS: Readonly<Record<string, (id: string) => readonly string[]>> = {
  get: (id) => [BILL, 'get', id, '--fields', 'number,status'],
  link: (id) => [BILL, 'link', id],
  open: (id) => [BILL, 'open', id],
  send: (id) => [BILL, 'send', id],
  remind: (id) => [BILL, 'remind', id, '--yes'],
  wait: (id) => [BILL, 'wait', id, '--timeout', '1s'],
  settle: (id) => [BILL, 'settle', id, '--paid-outside', 'GCash', '--yes'],
  refund: (id) => ['refunds', 'create', '--statement', id, '--amount', '100', '--reason', 'others', '--yes'],
  reissue: (id) => [BILL, 'reissue', id, '--due', '+60d', '--yes'],
  duplicate: (id) => [BILL, 'duplicate', id, '--due', '+60d'],
  finalize: (id) => [BILL, 'finalize', id],
  edit: (id) => [BILL, 'edit', id, '--due', '+60d'],
  'edit an item': (id) => ['billing-statement-line-items', 'update', `${id}#1`, '--unit-price', '1,300'],
  'add an item': (id) => [
    ...['billing-statement-line-items', 'create', '--billing-statement', id],
    ...['--description', 'Hosting', '--unit-price', '500', '--quantity', '1'],
  ],
  'create --continue': (id) => [BILL, 'create', '--continue', id, '--finalize'],
  update: (id) => [BILL, 'update', id, '--description', 'Site'],
  void: (id) => [BILL, 'void', id, '--yes'],
  'mark-uncollectible': (id) => [BILL, 'mark-uncollectible', id, '--yes'],
  delete: (id) => [BILL, 'delete', id, '--yes'],
  'sandbox pay': (id) => ['sandbox', 'pay', id],
};

interface Made {
  readonly directory: string;
  readonly id: string;
  /** Number, or else id. */
  readonly name: string;
}
const made = new Map<string, Made>();

/** Money came in, or may have: no verb may propose to bill again without a word. */
const NOT_BILLED_AGAIN = ['paid', 'partly_refunded', 'refunded', 'settled', 'replaced', 'held', 'processing'];

/** Exit code, stderr and the first line of stdout; ids as names. */
function wordsOf({status, stdout, stderr}: CliResult, {id}: Made): string[] {
  const first = stdout.split('\n')[0]!;
  const words = [`exit ${status}`, ...stderr.trimEnd().split('\n'), ...(first ? [`> ${first}`] : [])].filter(Boolean);
  return words.map((line) =>
    line
      .replaceAll(/[A-Z]{8}(?=-000\d)/g, 'JUAN')
      .replaceAll(id, 'bstm_OLD')
      .replaceAll(/\bbstm_li_[\w-]+/g, 'bstm_li_…')
      .replaceAll(/\bbstm_(?!OLD|li_)[\w-]+/g, 'bstm_NEW')
      .replaceAll(/\b(cus|pay|pi|re)_[\w-]+/g, '$1_…')
      .replaceAll(/(?<=\/b\/)[\w-]+/g, '…')
      .replaceAll(/(?<=Request ID: )\w+/g, '…'),
  );
}

async function make(state: string, prepare: State, isDraft = false): Promise<void> {
  const directory = temporaryDirectory(afterAll);
  // Ids of the same machine always come in the same order: they are counted.
  let count = 0;
  const random = (size: number): Uint8Array => Buffer.alloc(size, ++count);
  const merchant = new Merchant(directory, () => START, random);
  const statement = await (isDraft ? merchant.draft() : merchant.open());
  const id = statement.id as string;
  await prepare({merchant, id, run: machineIn(directory)});
  merchant.close();
  made.set(state, {
    directory,
    id,
    name: state === 'deleted' ? id : ((statement.billing_statement_number as string | null) ?? id),
  });
}

beforeAll(async () => {
  await make('draft', () => {}, true);
  await make('deleted', ({merchant, id}) => merchant.call('DELETE', `/billing_statements/${id}`), true);
  for (const [state, prepare] of Object.entries(STATES)) await make(state, prepare);
}, 120_000);

/** Runs a command on a copy of the state, so that each begins with the same. */
const runAs = async (state: string, words: readonly string[]): Promise<CliResult> => {
  const copy = temporaryDirectory(() => {});
  cpSync(made.get(state)!.directory, copy, {recursive: true});
  const result = await machineIn(copy)(words);
  rmSync(copy, {recursive: true});
  return result;
};

const runOn = (state: string, verb: string): Promise<CliResult> => runAs(state, VERBS[verb]!(made.get(state)!.name));

test('every verb in every state says what happened and what to do', async () => {
  const pages: string[] = [];
  const proposed: string[] = [];
  for (const verb of Object.keys(VERBS)) {
    /** States by the words that they have in common. */
    const states = new Map<string, string[]>();
    for (const state of made.keys()) {
      const result = await runOn(state, verb);
      const words = wordsOf(result, made.get(state)!).join('\n  ');
      states.set(words, [...(states.get(words) ?? []), state]);
      if (NOT_BILLED_AGAIN.includes(state) && /duplicate/.test(result.stderr)) proposed.push(`${state}, ${verb}`);
    }
    pages.push([`# ${verb}`, ...[...states].map(([words, names]) => `${names.join('; ')}\n  ${words}`)].join('\n'));
  }
  expect(proposed).toEqual([]);
  await expect(`${pages.join('\n\n')}\n`).toMatchFileSnapshot('money-matrix.txt');
}, 120_000);

test.each([
  ['replaced', 'link'],
  ['void, from another machine', 'send'],
  ['held', 'edit an item'],
  ['settled (uncollectible)', 'sandbox pay'],
])('%s, %s: a process says the same', async (state, verb) => {
  const {directory, name} = made.get(state)!;
  const {status, stdout, stderr} = await runOn(state, verb);
  expect(await cli(directory)(VERBS[verb]!(name))).toMatchObject({status, stdout, stderr});
});

test('the next commands of every refusal run as they are', async () => {
  const tried = new Map<string, number>();
  for (const state of made.keys())
    for (const [verb, wordsFor] of Object.entries(VERBS)) {
      const result = await runAs(state, [...wordsFor(made.get(state)!.name), '--json']);
      if (result.status === 0) continue;
      const {next, needs_person: person, ids} = result.error();
      expect(
        next.length > 0 || person || [3, 6, 9].includes(result.status!),
        `${state}, ${verb}: ${result.stderr}`,
      ).toBe(true);
      expect(ids, result.stderr).toEqual(expect.any(Array));
      for (const args of next as string[][]) {
        const key = `${state}: ${args.join(' ')}`;
        if (!tried.has(key)) tried.set(key, (await runAs(state, args)).status ?? -1);
      }
    }
  expect(tried.size).toBeGreaterThan(40);
  // A documented refusal is an answer, too; a wrong word or a missing object is none.
  // The held state is made up, without a payment that could be captured.
  const real = [...tried].filter(([key]) => !key.startsWith('held: payment-intents capture'));
  expect(real.filter(([, status]) => ![0, 5, 6, 9, 12].includes(status))).toEqual([]);
}, 240_000);
