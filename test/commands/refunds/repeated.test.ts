// Refunds that repeat an equal one, that cannot be, or that fail.

import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {History} from '../../../src/history/history.js';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {machineOf} from '../../support/scenarios/machine.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {service} from '../../support/services/service.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {ENTER, loaded} from '../../support/terminal.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const HOUR = 3600;
const DOWN = '\x1B[B';

async function shop(method = 'card') {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const {id} = await merchant.open();
  const payment = controlOf(merchant.sandbox).pay(id as string, {method}).payment!.id as string;
  const {billing_statement_number: number} = await merchant.call('GET', `/billing_statements/${id}`);
  const words = (amount: string, ...more: string[]) => [
    ...['refunds', 'create', '--statement', id as string, '--reason', 'others'],
    ...['--amount', amount, ...more],
  ];
  const run = commandsIn(directory);
  return {
    ...{directory, merchant, run, words, id: id as string, number: number as string, payment},
    refund: (amount: string, ...more: string[]) => run(words(amount, ...more)),
    refunded: async () => (await merchant.call('GET', `/payments/${payment}`)).amount_refunded as number,
  };
}

describe('the same refund', () => {
  test.each([[['--json']], [['-q']], [['--yes']], [[]]])(
    'within 20 hours is refused with %j: exit 12, with its id and time',
    async (more) => {
      const {refund, refunded, number} = await shop();
      const first = (await refund('450', '--json')).json();
      const again = await refund('450', ...more);
      expect(again).toMatchObject({status: 12, stdout: ''});
      if (more.includes('--json'))
        expect(again.error()).toMatchObject({
          ...{code: 'repeated_refund', applied: 'no', needs_person: true},
          before: {at: expect.any(Number), is_certain: true, ids: [first.id]},
          message: expect.stringMatching(
            new RegExp(`^₱450\\.00 of ${number} was refunded from this machine on .* at \\d\\d:\\d\\d \\(re_`),
          ),
        });
      else expect(again.stderr).toContain(first.id);
      expect(await refunded()).toBe(45_000);
      expect(await refund('450', '--allow-duplicate')).toMatchObject({status: 0});
      expect(await refunded()).toBe(90_000);
    },
  );

  test('by the payment instead of the statement is the same; another amount is not', async () => {
    const {refund, run, payment} = await shop();
    await refund('450');
    const byPayment = ['refunds', 'create', '--payment', payment, '--reason', 'others', '--amount', '450'];
    expect(await run([...byPayment, '--json'])).toMatchObject({status: 12});
    expect(await refund('451')).toMatchObject({status: 0});
  });

  test('after 20 hours goes', async () => {
    const {refund, merchant} = await shop();
    await refund('450');
    merchant.sandbox.advanceClock(20 * HOUR - 60);
    expect(await refund('450')).toMatchObject({status: 12});
    merchant.sandbox.advanceClock(120);
    expect(await refund('450')).toMatchObject({status: 0});
  });

  test('that the API refused is no repeat: a wrong parameter, corrected, goes', async () => {
    const {refund, refunded} = await shop();
    expect(await refund('450', '--data', 'currency=USD')).toMatchObject({status: 5});
    expect(await refund('450')).toMatchObject({status: 0});
    expect(await refunded()).toBe(45_000);
  });

  test('whose answer was lost is refused, however old; another machine knows nothing of it', async () => {
    const {merchant, id} = await shop();
    const {run, server} = await machineOf(merchant, {1: 'answer lost'});
    const words = ['refunds', 'create', '--statement', id, '--reason', 'others', '--amount', '450'];
    expect(await run(words)).toMatchObject({status: 10});
    merchant.sandbox.advanceClock(40 * 24 * HOUR);
    const again = await run([...words, '--json']);
    expect(again).toMatchObject({status: 12});
    expect(again.error()).toMatchObject({
      ...{code: 'repeated_refund', before: {is_certain: false, ids: []}},
      message: expect.stringMatching(/may have been refunded from this machine .*\. Its outcome is unknown\./),
      hint: expect.stringMatching(/^A person decides this, at a terminal\. Check: centavo payments get pay_/),
      ...{needs_person: true, next: [['payments', 'get', expect.stringMatching(/^pay_/)]]},
    });
    expect(server.changes).toHaveLength(1);
    const other = await machineOf(merchant);
    expect(await other.run(words)).toMatchObject({status: 0});
  });

  test('is not sent by the eight repeats of a script whose answers are lost', async () => {
    const {merchant, id} = await shop();
    const lost = Object.fromEntries(Array.from({length: 8}, (_, at) => [at + 1, 'answer lost' as const]));
    const {run, server} = await machineOf(merchant, lost);
    const words = ['refunds', 'create', '--statement', id, '--reason', 'others', '--amount', '500'];
    const statuses = [];
    for (let count = 0; count < 8; count++) statuses.push((await run(words)).status);
    expect(statuses).toEqual([10, ...Array.from({length: 7}, () => 12)]);
    expect(server.changes).toHaveLength(1);
  });
});

test('while another process makes the same refund is refused, and can be repeated: in_progress', async () => {
  const {directory, refund, refunded, payment} = await shop();
  const owner = processIdentityOf(process.ppid, 0);
  const other = new History(join(directory, 'history.db'), {now: () => 2_000_000_000, token: () => 'other', owner});
  onTestFinished(() => other.close());
  await refund('1');
  const [{profile, mode}] = (await commandsIn(directory)(['history', '--json'])).json().data;
  other.begin({profile, mode, command: 'refunds create', ids: [payment], amount: 45_000});
  const refused = await refund('450', '--json');
  expect(refused).toMatchObject({status: 12, stdout: ''});
  expect(refused.error()).toMatchObject({code: 'in_progress', retryable: true, applied: 'no'});
  expect(await refunded()).toBe(100);
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each([
    // Answers with the arrow keys: I do not know; yes; no.
    ['I do not know', '', 12, 45_000],
    ['Yes, it was made', DOWN, 12, 45_000],
    ['No, it was not made', DOWN + DOWN, 0, 90_000],
  ])('asks whether a refund of unknown outcome was made, and keeps %j', async (_, keys, status, refunded) => {
    const {merchant, id, refunded: refundedOf} = await shop();
    const {directory, env, run} = await machineOf(merchant, {1: 'answer lost'});
    const words = ['refunds', 'create', '--statement', id, '--reason', 'others', '--amount', '450'];
    expect(await run(words)).toMatchObject({status: 10});
    const desk = terminalInProcess(directory, words, {columns: 300, env, pace: 0});
    await desk.until(/may have been refunded from this machine .*Was it\?/);
    desk.type(`${keys}${ENTER}`);
    if (keys !== '') {
      await desk.until(keys === DOWN ? /although ₱450\.00 of \S+ was refunded/ : /refund ₱450\.00 of [^?]*\?/);
      desk.type(`${keys === DOWN ? 'n' : 'y'}${ENTER}`);
    }
    expect(await desk.ended).toBe(status);
    expect(await refundedOf()).toBe(refunded);
    const [{result}] = (await run(['history', '--json'])).json().data.toReversed();
    expect(result).toBe(keys === '' ? 'outcome_unknown' : keys === DOWN ? 'ok' : 'not_made');
  });

  test('the question names the last equal refund, however old; --yes does not answer it', async () => {
    const {directory, merchant, refund, words, refunded} = await shop();
    await refund('450');
    merchant.sandbox.advanceClock(40 * 24 * HOUR);
    const named =
      /refund ₱450\.00 of ₱1,500\.00 to .* for \S+-0001, although ₱450\.00 of \S+ was refunded .*\(re_\w+\)\?/;
    for (const [answer, status] of [
      ['n', 12],
      ['y', 0],
    ] as const) {
      const desk = terminalInProcess(directory, words('450'), {columns: 300});
      await desk.until(named);
      desk.type(`${answer}${ENTER}`);
      expect(await desk.ended).toBe(status);
    }
    expect(await refunded()).toBe(90_000);
    const sure = terminalInProcess(directory, words('450', '--yes'), {columns: 300});
    expect(await sure.ended).toBe(12);
    const allowed = terminalInProcess(directory, words('450', '--yes', '--allow-duplicate'), {columns: 300});
    expect(await allowed.ended).toBe(0);
  });

  test('two processes at one question: one goes', async () => {
    const {directory, words, refunded} = await shop();
    const desks = [1, 2].map(() => terminalInProcess(directory, words('450'), {columns: 300}));
    for (const desk of desks) await desk.until(/\(y\/N\)/);
    for (const desk of desks) desk.type(`y${ENTER}`);
    expect((await Promise.all(desks.map(({ended}) => ended))).toSorted((a, b) => a - b)).toEqual([0, 12]);
    expect(await refunded()).toBe(45_000);
  });

  test.each(['--statement', '--payment'])(
    'what cannot be refunded with %s is refused before any question',
    async (flag) => {
      const qr = await shop('qrph');
      const whole = await shop();
      await whole.refund('1,500');
      for (const [{directory, id, payment}, words] of [
        [qr, /nothing of .* can be refunded\.[^]*The service does not refund QR Ph\. Return the money another\s+way/],
        [whole, /nothing more of .* can be refunded\.[^]*₱1,500\.00 of it refunded/],
      ] as const) {
        const named = flag === '--payment' ? payment : id;
        const desk = terminalInProcess(directory, ['refunds', 'create', flag, named], {columns: 300});
        expect(await desk.ended).toBe(5);
        expect(desk.text()).toMatch(words);
        expect(desk.text()).not.toMatch(/Amount to refund|Reason|\(y\/N\)|At most/);
      }
    },
  );
});

describe('a refund that cannot be', () => {
  test('of a QR Ph payment says how to return the money, and names the statement', async () => {
    const {refund, number} = await shop('qrph');
    const result = await refund('450', '--json');
    expect(result).toMatchObject({status: 5});
    expect(result.error()).toMatchObject({
      ...{code: 'not_refundable', applied: 'no'},
      message: `nothing of the payment of ${number} can be refunded. The service does not refund QR Ph. Return the money another way.`,
      hint: `See it: centavo billing-statements get ${number}`,
    });
  });

  test('of a settled statement says to return it the same way; of a replaced one names the replacement', async () => {
    const {merchant, run} = await shop();
    const {id} = await merchant.open();
    await run(['settle', id as string, '--paid-outside', 'cash']);
    const words = (of: string) => [
      'refunds',
      'create',
      '--statement',
      of,
      '--reason',
      'others',
      '--amount',
      '20',
      '--json',
    ];
    const settled = (await run(words(id as string))).error();
    expect(settled).toMatchObject({code: 'not_paid', exit_code: 5, state: 'settled'});
    expect(settled.message).toMatch(
      /was paid outside the service on .*: cash\. The service has no payment\. Return the money another way/,
    );
    const {id: old} = await merchant.open();
    const {id: next} = (
      await run(['billing-statements', 'reissue', old as string, '--due', '+60d', '--yes', '--json'])
    ).json();
    const replaced = (await run(words(old as string))).error();
    expect(replaced).toMatchObject({code: 'not_paid', state: 'replaced', replaced_by: {id: next}});
    expect(replaced.hint).toContain(`centavo refund ${next}`);
  });
});

test('an answer with status failed is exit 5, and no refund of this machine', async () => {
  const paid = {id: 'pi_5Ls8', status: 'succeeded', latest_payment: 'pay_3Fa9'};
  const statement = {status: 'paid', amount: 150_000, billing_statement_number: 'REYES-0001', payment_intent: paid};
  const api = await service({
    bstm_7Hq2: statement,
    pay_3Fa9: {amount: 150_000, amount_refunded: 0, status: 'paid'},
    re_Made1: {status: 'failed', amount: 45_000, payment_id: 'pay_3Fa9'},
  });
  onTestFinished(api.close);
  const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const refund = () =>
    run(['refunds', 'create', '--statement', 'bstm_7Hq2', '--reason', 'others', '--amount', '450', '--json']);
  const failed = await refund();
  expect(failed).toMatchObject({status: 5, stdout: ''});
  expect(failed.error()).toMatchObject({
    code: 'refund_failed',
    applied: 'no',
    hint: expect.stringContaining('pay_3Fa9'),
  });
  const [record] = (await run(['history', '--json'])).json().data;
  expect(record).toMatchObject({result: 'refund_failed', applied: 'no'});
  expect((await refund()).error(), 'not counted as a refund').toMatchObject({code: 'refund_failed'});
  expect(api.writes()).toHaveLength(2);
});
