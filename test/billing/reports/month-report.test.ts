// The books of three generated years: `month` and `paid` against independent sums, to the centavo.

import {expect, test} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import type {LocalSettlement} from '../../../src/accounting/standing.js';
import {readMonthReport, readPaymentsReceived, monthTotalsOf} from '../../../src/billing/reports/month-report.js';
import {ReceiptReader} from '../../../src/billing/reports/receipts.js';
import {createClient} from '../../../src/client/client.js';
import {DAY, type Month, monthAfter, monthOf, monthText, startOfMonth} from '../../../src/common/manila.js';
import {seededRandom} from '../../../src/common/random.js';
import {SEED} from '../../support/seed.js';

type Wire = Record<string, any>;

/** A generated statement: the service's data, and the expected book entries. */
interface Made {
  readonly whole: Wire;
  /** The statement as listed. */
  readonly listed: Wire;
  readonly payment?: Wire;
  readonly settlement?: LocalSettlement;
  readonly billed?: {readonly at: number; readonly amount: number};
  readonly paid?: {readonly at: number; readonly amount: number};
  readonly settled?: {readonly at: number; readonly amount: number};
  readonly refunded?: number;
  readonly isGivenUp?: boolean;
  readonly owed?: number;
}

const FIRST: Month = {year: 2024, month: 1};
const LAST: Month = {year: 2026, month: 12};

type Oddity = (made: Draft, pick: (most: number) => number) => void;

interface Draft {
  whole: Wire;
  left: string[];
  payment?: Wire;
  settlement?: LocalSettlement;
  finalizedAt: number;
  amount: number;
  /** Amounts in the books; undefined if nothing is reversed. */
  counts: {
    billed: boolean;
    paidAt?: number;
    settledAt?: number;
    refunded?: number;
    isGivenUp?: boolean;
    owed?: boolean;
  };
}

const pay = (made: Draft, at: number, more: Wire = {}): void => {
  const {whole, amount} = made;
  const id = whole.id.replace('bstm', 'pay');
  made.payment = {
    id,
    resource: 'payment',
    amount,
    amount_refunded: 0,
    payment_method: {type: ['gcash', 'maya', 'card', 'qrph', 'billease'][Number(whole.at) % 5]},
    created_at: at,
    status: 'paid',
    ...more,
  };
  Object.assign(whole, {
    status: 'paid',
    updated_at: at,
    payment_intent: {id: id.replace('pay', 'pi'), latest_payment: made.payment},
  });
  made.counts.paidAt = at;
};

const end = (made: Draft, status: string, at: number): void => {
  Object.assign(made.whole, {status, updated_at: at, payment_intent: null});
  made.counts.billed = status !== 'void';
};

const settle = (made: Draft, at: number, status = 'void', more: Partial<LocalSettlement> = {}): void => {
  end(made, status, at);
  made.settlement = {at, reason: 'cash', amount: made.amount, isCertain: true, ...more};
  if (status !== 'void') return;
  made.counts.billed = true;
  made.counts.settledAt = at;
};

const ODDITIES: Readonly<Record<string, Oddity>> = {
  open: ({counts}) => (counts.owed = true),
  'open, and listed by the id of its customer only': (made) => {
    made.counts.owed = true;
    made.left.push('customer', 'billing_statement_number');
  },
  draft: (made) => {
    Object.assign(made.whole, {status: 'draft', finalized_at: null, payment_intent: null});
    made.counts.billed = false;
  },
  deleted: (made) => {
    made.whole = {id: made.whole.id, resource: 'billing_statement', deleted: true, created_at: made.whole.created_at};
    made.counts.billed = false;
  },
  'finalized long after it was created': (made) => {
    made.whole.created_at = made.finalizedAt - 50 * DAY;
    made.counts.owed = true;
  },
  'finalized in the last second of a month': (made) => {
    made.finalizedAt = startOfMonth(monthAfter(monthOf(made.finalizedAt))) - 1;
    Object.assign(made.whole, {finalized_at: made.finalizedAt, updated_at: made.finalizedAt});
    made.counts.owed = true;
  },
  'without a date of finalizing': (made) => {
    Object.assign(made.whole, {finalized_at: 0, created_at: made.finalizedAt});
    made.counts.owed = true;
  },
  'paid at once': (made) => pay(made, made.finalizedAt + 60),
  'paid in another month': (made, pick) => pay(made, made.finalizedAt + (31 + pick(80)) * DAY),
  'paid in the first second of a month': (made) => pay(made, startOfMonth(monthAfter(monthOf(made.finalizedAt)))),
  'paid, and listed without finalizing, intent and number': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.left.push('finalized_at', 'payment_intent', 'billing_statement_number', 'customer', 'metadata');
  },
  'paid, and only the id of the payment is named': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.whole.payment_intent.latest_payment = made.payment!.id;
  },
  'paid, and only the intent is named': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.whole.payment_intent = made.whole.payment_intent.id;
  },
  'paid, and no payment is named': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.whole.payment_intent = null;
    made.payment = undefined;
  },
  'paid, and changed long after': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.whole.updated_at += 100 * DAY;
  },
  'refunded in part': (made, pick) => {
    const refunded = 100 + pick(1000);
    pay(made, made.finalizedAt + pick(40) * DAY, {amount_refunded: refunded, refunded: true});
    made.counts.refunded = refunded;
  },
  'refunded whole': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY, {amount_refunded: made.amount, refunded: true});
    made.counts.refunded = made.amount;
  },
  void: (made, pick) => end(made, 'void', made.finalizedAt + pick(70) * DAY),
  'settled in cash': (made, pick) => settle(made, made.finalizedAt + pick(20) * DAY),
  'settled in cash months later': (made, pick) => settle(made, made.finalizedAt + (40 + pick(90)) * DAY),
  'settled, and the answer was lost': (made, pick) =>
    settle(made, made.finalizedAt + pick(20) * DAY, 'void', {isCertain: false, amount: null}),
  'settled on this machine, but paid online before': (made, pick) => {
    pay(made, made.finalizedAt + pick(20) * DAY);
    made.settlement = {at: made.finalizedAt + 21 * DAY, reason: 'cash', amount: made.amount, isCertain: false};
  },
  uncollectible: (made, pick) => {
    end(made, 'uncollectible', made.finalizedAt + pick(90) * DAY);
    made.counts.isGivenUp = true;
  },
  'given up, a part of it in cash': (made, pick) => {
    settle(made, made.finalizedAt + pick(90) * DAY, 'uncollectible');
    made.counts.isGivenUp = true;
  },
  'the largest amount': (made, pick) => {
    made.amount = 5_999_999_999;
    made.whole.amount = made.amount;
    pay(made, made.finalizedAt + pick(40) * DAY);
  },
};

const KINDS = Object.keys(ODDITIES);

function madeUp(random: () => number): Made[] {
  const pick = (most: number): number => Math.floor(random() * most);
  const [from, to] = [startOfMonth(FIRST), startOfMonth(monthAfter(LAST))];
  return Array.from({length: KINDS.length * 24}, (_, index): Made => {
    const id = `bstm_${String(index).padStart(32, '0')}`;
    const finalizedAt = from + pick(to - from);
    const amount = 2000 + pick(10_000_000);
    const created = finalizedAt - pick(3 * DAY);
    const whole = {
      ...{id, at: index, resource: 'billing_statement', billing_statement_number: `SHOP-${index}`, amount},
      ...{status: 'open', finalized_at: finalizedAt, due_at: finalizedAt + 9 * DAY, created_at: created},
      ...{updated_at: finalizedAt, payment_intent: {id: id.replace('bstm', 'pi'), latest_payment: null}},
      ...{customer: {id: 'cus_1', name: 'Juan', email: 'juan@example.com'}, customer_id: 'cus_1', metadata: null},
    };
    const draft: Draft = {whole, left: [], finalizedAt, amount, counts: {billed: true}};
    ODDITIES[KINDS[index % KINDS.length]!]!(draft, pick);
    const {counts, settlement, payment, left} = draft;
    return {
      ...{whole: draft.whole, payment, settlement, refunded: counts.refunded, isGivenUp: counts.isGivenUp},
      listed: Object.fromEntries(Object.entries(draft.whole).filter(([name]) => !left.includes(name))),
      ...(counts.billed && {billed: {at: draft.finalizedAt, amount: draft.amount}}),
      ...(counts.paidAt !== undefined && {
        paid: {at: payment ? counts.paidAt : draft.whole.updated_at, amount: draft.amount},
      }),
      ...(counts.settledAt !== undefined && {settled: {at: counts.settledAt, amount: draft.amount}}),
      ...(counts.owed && {owed: draft.amount}),
    };
  }).sort((one, other) => other.whole.created_at - one.whole.created_at);
}

/** A service with these statements. @returns its client, and the number of requests besides the list */
function serviceWith(made: readonly Made[]) {
  const counts = {reads: 0};
  const byId = new Map<string, Wire>();
  for (const {whole, payment} of made) {
    byId.set(whole.id, whole);
    if (!payment) continue;
    byId.set(payment.id, payment);
    const intent = payment.id.replace('pay', 'pi');
    byId.set(intent, {id: intent, resource: 'payment_intent', latest_payment: payment.id});
  }
  const answer = ({path, query}: ApiRequest): Wire => {
    const id = path.split('/')[2];
    if (id !== undefined) {
      counts.reads++;
      return byId.get(id)!;
    }
    const from = made.findIndex(({whole}) => whole.id === new URLSearchParams(query).get('after')) + 1;
    return {
      ...{resource: 'list', has_more: from + 100 < made.length},
      data: made.slice(from, from + 100).map(({listed}) => listed),
    };
  };
  const transport = async (request: ApiRequest): Promise<ApiResponse> => ({
    status: 200,
    headers: {'content-type': 'application/json'},
    body: Buffer.from(JSON.stringify(answer(request))),
  });
  return {counts, client: createClient({key: 'sk_test_MadeUpForTests01', transport})};
}

const monthsOf = function* (): Generator<Month> {
  for (let month = FIRST; monthText(month) <= monthText(LAST); month = monthAfter(month)) yield month;
};

test(`a month is the sum of its statements, over three years with ${KINDS.length} kinds of them`, async () => {
  const made = madeUp(seededRandom(SEED));
  const {client, counts} = serviceWith(made);
  const settlements = new Map(made.flatMap(({whole, settlement}) => (settlement ? [[whole.id, settlement]] : [])));
  const remembered = new Map<string, any>();
  const known = {
    get: (id: string) => remembered.get(id),
    update: (some: ReadonlyMap<string, any>) => some.forEach((value, id) => remembered.set(id, value)),
  };
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const all = {billed: 0, paid: 0, settled: 0};
  for (const month of monthsOf()) {
    const receipts = new ReceiptReader(client, {known});
    const entries = await readMonthReport(client, {month, receipts, settlements});
    receipts.save();
    const [since, until] = [startOfMonth(month), startOfMonth(monthAfter(month)) - 1];
    const isIn = (part: {readonly at: number} | undefined): boolean =>
      part !== undefined && part.at >= since && part.at <= until;
    // A void statement has an empty row in the month of its finalization.
    const isVoidHere = ({whole, billed}: Made): boolean =>
      whole.status === 'void' && !billed && whole.finalized_at >= since && whole.finalized_at <= until;
    const rows = made.filter((each) => isIn(each.billed) || isIn(each.paid) || isIn(each.settled) || isVoidHere(each));
    const of = (part: 'billed' | 'paid' | 'settled'): number =>
      sum(made.flatMap((each) => (isIn(each[part]) ? [each[part]!.amount] : [])));
    expect(entries.map(({statement_id: id}) => id).sort(), monthText(month)).toEqual(
      rows.map(({whole}) => whole.id).sort(),
    );
    const totals = monthTotalsOf(entries);
    expect(totals, `${monthText(month)}, CENTAVO_SEED=${SEED}`).toEqual({
      billed: of('billed'),
      paid: of('paid'),
      settled: of('settled'),
      refunded: sum(rows.map(({refunded = 0}) => refunded)),
      uncollectible: sum(rows.map(({isGivenUp, billed}) => (isGivenUp && isIn(billed) ? billed!.amount : 0))),
      balance: sum(rows.map(({owed = 0}) => owed)),
    });
    for (const name of ['billed', 'paid', 'settled'] as const) all[name] += totals[name];
    const times = entries.map(({finalized_at: at}) => at ?? 0);
    expect(times, 'earliest first').toEqual(times.toSorted((a, b) => a - b));
    const finalizedAt = new Map(rows.map(({whole}) => [whole.id, whole.finalized_at || whole.created_at]));
    for (const {statement_id: id, customer, number, finalized_at: at} of entries) {
      expect([customer, number]).not.toContain(null);
      expect(at).toBe(finalizedAt.get(id));
    }

    const received = await readPaymentsReceived(client, {since, until, receipts, settlements});
    expect(sum(received.map(({amount}) => amount))).toBe(totals.paid + totals.settled);
    expect(received.map(({paid_at: at}) => at)).toEqual(received.map(({paid_at: at}) => at).toSorted((a, b) => b - a));
  }
  // Each is billed once and received once over all months.
  const last = startOfMonth(monthAfter(LAST)) - 1;
  const whole = (part: 'billed' | 'paid' | 'settled'): number =>
    sum(made.flatMap((each) => (each[part] && each[part].at <= last ? [each[part].amount] : [])));
  expect(all).toEqual({billed: whole('billed'), paid: whole('paid'), settled: whole('settled')});

  // Final values come from the cache; only displayed rows are read again.
  counts.reads = 0;
  const receipts = new ReceiptReader(client, {known});
  await readPaymentsReceived(client, {since: last + 1, receipts, settlements});
  const unnamed = made.filter(
    ({whole: {status, updated_at: updated, payment_intent: intent}}) =>
      status === 'paid' && updated > last && intent === null,
  );
  expect(counts.reads).toBeLessThanOrEqual(made.filter(({paid}) => paid && paid.at > last).length * 2 + unnamed.length);
  expect(receipts.requests).toBe(counts.reads);
});

test.each([
  ['with its date is not read', {created_at: 1_790_000_000}, 0],
  ['without a date is read', {}, 1],
])('a payment in its statement %s', async (_, more, reads) => {
  const payment = {id: 'pay_1', resource: 'payment', created_at: 1_790_000_000};
  const whole = {id: 'bstm_1', payment_intent: {id: 'pi_1', latest_payment: {id: 'pay_1', ...more}}};
  const {client, counts} = serviceWith([{whole, listed: whole, payment}]);
  expect(await new ReceiptReader(client, {}).receiptOf(whole as never)).toMatchObject({at: 1_790_000_000, id: 'pay_1'});
  expect(counts.reads).toBe(reads);
});
