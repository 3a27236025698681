// The books of three generated years: `month` and `paid` against independent sums, to the centavo.

import {expect, test} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import {balanceOf, sumsOf, type MovementType} from '../../../src/accounting/movements.js';
import {
  NO_HISTORY,
  type LocalRefund,
  type LocalSettlement,
  type MoneyHistory,
} from '../../../src/accounting/standing.js';
import {exportNeeds} from '../../../src/billing/import/export-month.js';
import {LEDGER_NEEDS, ledgerOf} from '../../../src/billing/reports/ledger.js';
import {
  monthNeeds,
  monthPeriod,
  monthReportOf,
  paidNeeds,
  paymentsReceived,
  periodSumsOf,
} from '../../../src/billing/reports/month-report.js';
import {ReceiptReader} from '../../../src/billing/reports/receipts.js';
import {readBook} from '../../../src/billing/reports/standings.js';
import {createClient} from '../../../src/client/client.js';
import {DAY, type Month, monthAfter, monthOf, monthText, startOfMonth} from '../../../src/common/manila.js';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {SEED} from '../../support/seed.js';

type Wire = Record<string, any>;

interface Booked {
  readonly type: MovementType;
  readonly at: number;
  readonly amount: number;
  /** True for a refund without a date. */
  readonly isUndated?: boolean;
}

/** A generated statement: the service's data, and the expected book entries. */
interface Made {
  readonly whole: Wire;
  /** The statement as listed. */
  readonly listed: Wire;
  readonly payment?: Wire;
  readonly settlement?: LocalSettlement;
  /** A refund from this machine, by statement and by payment. */
  readonly ownRefund?: LocalRefund;
  readonly booked: readonly Booked[];
}

const FIRST: Month = {year: 2024, month: 1};
const LAST: Month = {year: 2026, month: 12};

type Oddity = (made: Draft, pick: (most: number) => number) => unknown;

interface Draft {
  whole: Wire;
  left: string[];
  payment?: Wire;
  settlement?: LocalSettlement;
  ownRefund?: LocalRefund;
  finalizedAt: number;
  amount: number;
  /** False for a draft or a deleted statement. */
  isBilled: boolean;
  /** What followed the billing. */
  then: Booked[];
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
  made.then.push({type: 'payment', at, amount});
};

const end = (made: Draft, status: string, at: number): void => {
  Object.assign(made.whole, {status, updated_at: at, payment_intent: null});
  made.then = [{type: status as MovementType, at, amount: made.amount}];
};

const settle = (made: Draft, at: number, status = 'void', more: Partial<LocalSettlement> = {}): void => {
  end(made, status, at);
  made.settlement = {at, reason: 'cash', amount: made.amount, isCertain: true, ...more};
  if (status === 'void') made.then = [{type: 'settlement', at, amount: made.amount}];
};

/** Refunded from this machine, which does not change the statement's `updated_at`. */
const refundHere = (made: Draft, at: number): void => {
  const amount = made.amount - 100;
  made.payment!.amount_refunded = amount;
  made.ownRefund = {at, amount, isCertain: true};
  made.then.push({type: 'refund', at, amount});
};

const refund = (made: Draft, amount: number): void => {
  made.payment!.amount_refunded = amount;
  made.then.push({type: 'refund', at: made.payment!.created_at, amount, isUndated: true});
};

const ODDITIES: Readonly<Record<string, Oddity>> = {
  open: () => undefined,
  'open, and listed by the id of its customer only': ({left}) => left.push('customer', 'billing_statement_number'),
  draft: (made) => {
    Object.assign(made.whole, {status: 'draft', finalized_at: null, payment_intent: null});
    made.isBilled = false;
  },
  deleted: (made) => {
    made.whole = {id: made.whole.id, resource: 'billing_statement', deleted: true, created_at: made.whole.created_at};
    made.isBilled = false;
  },
  'finalized long after it was created': (made) => {
    made.whole.created_at = made.finalizedAt - 50 * DAY;
  },
  'finalized in the last second of a month': (made) => {
    made.finalizedAt = startOfMonth(monthAfter(monthOf(made.finalizedAt))) - 1;
    Object.assign(made.whole, {finalized_at: made.finalizedAt, updated_at: made.finalizedAt});
  },
  'without a date of finalizing': (made) => {
    Object.assign(made.whole, {finalized_at: 0, created_at: made.finalizedAt});
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
  'paid before it was finalized, since clocks differ': (made) => {
    pay(made, made.finalizedAt);
    made.payment!.created_at -= 3 * DAY;
  },
  'paid, and changed long after': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    made.whole.updated_at += 100 * DAY;
  },
  'refunded in part': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    refund(made, 100 + pick(1000));
  },
  'refunded whole': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    refund(made, made.amount);
  },
  'refunded from here months later': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    refundHere(made, made.finalizedAt + (80 + pick(90)) * DAY);
  },
  'refunded from here months later, and listed without intent': (made, pick) => {
    pay(made, made.finalizedAt + pick(40) * DAY);
    refundHere(made, made.finalizedAt + (80 + pick(90)) * DAY);
    made.left.push('payment_intent');
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
  uncollectible: (made, pick) => end(made, 'uncollectible', made.finalizedAt + pick(90) * DAY),
  'given up, a part of it in cash': (made, pick) =>
    settle(made, made.finalizedAt + pick(90) * DAY, 'uncollectible', {isGivenUp: true}),
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
    const draft: Draft = {whole, left: [], finalizedAt, amount, isBilled: true, then: []};
    ODDITIES[KINDS[index % KINDS.length]!]!(draft, pick);
    const {settlement, ownRefund, payment, left, isBilled, then} = draft;
    return {
      ...{whole: draft.whole, payment, settlement, ownRefund},
      listed: Object.fromEntries(Object.entries(draft.whole).filter(([name]) => !left.includes(name))),
      booked: isBilled ? [{type: 'billing', at: draft.finalizedAt, amount: draft.amount}, ...then] : [],
    };
  }).sort((one, other) => other.whole.created_at - one.whole.created_at);
}

/** A service with these statements. @returns its client, and the number of requests besides the list */
function serviceWith(made: readonly Pick<Made, 'listed' | 'payment' | 'whole'>[]) {
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
    if (path.startsWith('/checkout_sessions')) return {resource: 'list', has_more: false, data: []};
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

/** Sums of the booked entries, by another way than the report's. */
function sumsOfBooked(made: readonly Made[], isIn: (booked: Booked) => boolean) {
  const sum = (type: MovementType, isUndated = false): number =>
    made
      .flatMap(({booked}) => booked)
      .filter((each) => each.type === type && (each.isUndated ?? false) === isUndated && isIn(each))
      .reduce((total, {amount}) => total + amount, 0);
  return {
    billed: sum('billing'),
    voided: sum('void'),
    received: sum('payment'),
    settled: sum('settlement'),
    uncollectible: sum('uncollectible'),
    refunded: sum('refund'),
    undated_refunds: sum('refund', true),
  };
}

const owedOf = ({billed, voided, received, settled, uncollectible}: ReturnType<typeof sumsOfBooked>): number =>
  billed - voided - received - settled - uncollectible;

test(`a month is the sum of its statements, over three years with ${KINDS.length} kinds of them`, async () => {
  const made = madeUp(seededRandom(SEED));
  const {client, counts} = serviceWith(made);
  const settlements = new Map(made.flatMap(({whole, settlement}) => (settlement ? [[whole.id, settlement]] : [])));
  const refunds = new Map(
    made.flatMap(({whole, payment, ownRefund}) =>
      ownRefund ? [whole.id, payment!.id].map((id) => [id, [ownRefund]] as const) : [],
    ),
  );
  const history: MoneyHistory = {
    ...NO_HISTORY,
    settlement: (id) => settlements.get(id),
    refunds: (id) => refunds.get(id) ?? [],
  };
  const now = startOfMonth(monthAfter(LAST)) + 300 * DAY;
  const remembered = new Map<string, any>();
  const known = {
    get: (id: string) => remembered.get(id),
    update: (some: ReadonlyMap<string, any>) => some.forEach((value, id) => remembered.set(id, value)),
  };
  const totals = [];
  for (const month of monthsOf()) {
    const receipts = new ReceiptReader(client, {known});
    const options = {receipts, history, now};
    const report = monthReportOf(await readBook(client, options, monthNeeds(month)), month);
    receipts.save();
    if (month.month === 6) {
      const cold = {...options, receipts: new ReceiptReader(client, {})};
      expect(monthReportOf(await readBook(client, cold, monthNeeds(month)), month)).toEqual(report);
    }
    const period = monthPeriod(month);
    const isIn = ({at}: Booked): boolean => at >= period.since && at <= period.until;
    const rows = made.filter(({booked}) => booked.some(isIn));
    const name = `${monthText(month)}, CENTAVO_SEED=${SEED}`;
    expect(report.rows.map(({statement_id: id}) => id).sort(), name).toEqual(rows.map(({whole}) => whole.id).sort());
    const sums = sumsOfBooked(made, isIn);
    expect(report.totals, name).toMatchObject(sums);
    expect(report.totals.owed, name).toBe(owedOf(sumsOfBooked(made, ({at}) => at <= period.until)));
    expect(report.totals.balance + report.totals.carried_forward).toBe(report.totals.owed);
    totals.push(report.totals);
    for (const row of report.rows) {
      const sums = {...row, refunded: row.refunded ?? 0, undated_refunds: row.undated_refunds ?? 0};
      expect(row.opening_balance + balanceOf(sums), row.number ?? '').toBe(row.balance);
      expect([row.customer, row.number]).not.toContain(null);
    }
    const times = report.rows.map(({billed_at: at}) => at ?? 0);
    expect(times, 'earliest first').toEqual(times.toSorted((a, b) => a - b));
    const billedAt = new Map(rows.map(({whole}) => [whole.id, whole.finalized_at || whole.created_at]));
    for (const {statement_id: id, billed_at: at} of report.rows) expect(at).toBe(billedAt.get(id));

    const paid = await readBook(client, options, paidNeeds(period));
    const {received, settled, refunded, undated_refunds, after_refunds} = report.totals;
    expect(periodSumsOf(paid, period)).toMatchObject({received, settled, refunded, undated_refunds, after_refunds});
    const paidAt = paymentsReceived(paid, period).map(({paid_at: at}) => at ?? 0);
    expect(paidAt).toEqual(paidAt.toSorted((a, b) => b - a));

    const ledgers = await readBook(client, options, LEDGER_NEEDS);
    expect(ledgerOf(ledgers.entries, period).sums, name).toEqual(sums);
    const exported = await readBook(client, options, exportNeeds(month));
    expect(
      sumsOf(
        exported.entries.flatMap(({standing}) => standing.movements),
        period,
      ).billed,
    ).toBe(sums.billed);
  }
  // Each entry is in one month.
  const last = monthPeriod(LAST).until;
  const whole = sumsOfBooked(made, ({at}) => at <= last);
  for (const name of Object.keys(whole) as (keyof typeof whole)[])
    expect(
      totals.reduce((sum, each) => sum + each[name], 0),
      name,
    ).toBe(whole[name]);

  // Final values come from the cache; only displayed rows are read again.
  counts.reads = 0;
  const receipts = new ReceiptReader(client, {known});
  await readBook(client, {receipts, history, now}, paidNeeds({since: last + 1}));
  const later = made.filter(({payment, booked}) => payment && booked.some(({at}) => at > last));
  expect(counts.reads).toBeLessThanOrEqual(later.length * 2);
  expect(receipts.requests).toBe(counts.reads);
  // One test walks 36 months of all statements: on a busy machine it takes longer than the usual limit.
}, 600_000);

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
