// The books of three years in the sandbox: `ledger`, `paid`, `month`, `export` and `owed` against sums of what was done.

import {afterAll, beforeAll, expect, test} from 'vitest';
import type {MovementType} from '../../src/accounting/movements.js';
import {DAY, monthAfter, monthText, startOfMonth, toManila, type Month} from '../../src/common/manila.js';
import {redirectPayer} from '../../src/sandbox/payments/pay-statement.js';
import {seededRandom} from '../../src/common/seeded-random.js';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {SEED} from '../support/seed.js';
import {controlOf} from '../../src/sandbox/control/control.js';

type Wire = Record<string, any>;

const FIRST: Month = {year: 2026, month: 1};
const MONTHS = [...Array(36).keys()].map((index) => monthAfter(FIRST, index));
const lastSecondOf = (month: Month): number => startOfMonth(monthAfter(month)) - 1;
const END = lastSecondOf(MONTHS.at(-1)!);

/** What was done with money, by the test's own record. */
interface Done {
  readonly type: MovementType | 'undated';
  /** Unix seconds; an undated refund has the time of its payment. */
  readonly at: number;
  readonly amount: number;
  readonly customer: string | null;
}

const directory = temporaryDirectory(afterAll);
const random = seededRandom(SEED);
const pick = (most: number): number => Math.floor(random() * most);
let now = startOfMonth(FIRST);
const run = commandsIn(directory, {now: () => now * 1000});
const ok = async (...words: string[]): Promise<Wire> => {
  const {status, stdout, stderr} = await run([...words, '--json', '--yes']);
  expect(status, `${words.join(' ')}: ${stderr}`).toBe(0);
  return JSON.parse(stdout || '{}') as Wire;
};
const read = async (...words: string[]): Promise<Wire> => {
  const {status, stdout, stderr} = await run([...words, '--json']);
  expect(status, `${words.join(' ')}: ${stderr}`).toBe(0);
  return JSON.parse(stdout) as Wire;
};

const done: Done[] = [];
/** What `owed` said at the last second of each month, while it was now. */
const owedThen = new Map<string, number>();
const customers: string[] = [];

/** A statement or session on its way through the years. */
interface Subject {
  readonly id: string;
  readonly customer: string | null;
  readonly amount: number;
  /** Time of the payment. */
  paidAt?: number;
  paymentId?: string;
}

/** Runs at some time, and may plan what follows. */
type Step = (later: (seconds: number, step: Step) => void) => Promise<void> | void;

const merchant = new Merchant(directory, () => now);
afterAll(() => merchant.close());

const note = ({customer, amount}: Subject, type: Done['type'], centavos = amount, at = now): void =>
  void done.push({type, at, amount: centavos, customer});
const pay = (subject: Subject, method = 'gcash'): void => {
  const {payment} = controlOf(merchant.sandbox).pay(subject.id, {method});
  Object.assign(subject, {paidAt: now, paymentId: payment!.id});
  if (subject.id.startsWith('cs_')) note(subject, 'billing');
  note(subject, 'payment');
};
const refundHere = async (subject: Subject, centavos: number, flag = '--statement'): Promise<void> => {
  const named = flag === '--statement' ? subject.id : subject.paymentId!;
  await ok('refunds', 'create', flag, named, '--amount', String(centavos / 100), '--reason', 'others');
  note(subject, 'refund', centavos);
};
const refundElsewhere = async (subject: Subject, amount: number): Promise<void> => {
  await merchant.call('POST', '/refunds', {payment_id: subject.paymentId, amount, currency: 'PHP', reason: 'others'});
  note(subject, 'undated', amount, subject.paidAt);
};
const act = (subject: Subject, verb: string): Promise<Wire> =>
  merchant.call('POST', `/billing_statements/${subject.id}/${verb}`);
const settle = async (subject: Subject): Promise<void> => {
  await ok('billing-statements', 'settle', subject.id, '--paid-outside', 'cash');
  note(subject, 'settlement');
};
/** Replaces a statement with one of the same amount. */
const reissue = async (subject: Subject): Promise<Subject> => {
  const {id} = await ok('billing-statements', 'reissue', subject.id, '--due', '+30d');
  note(subject, 'void');
  const next = {...subject, id: String(id)};
  note(next, 'billing');
  return next;
};
const months = (count: number): number => (31 * count + pick(20)) * DAY;

/** What happens to an open statement. */
const FATES: Readonly<Record<string, (subject: Subject, later: (seconds: number, step: Step) => void) => unknown>> = {
  'stays open': () => undefined,
  'is paid at once': (subject) => pay(subject),
  'is paid months later': (subject, later) => later(months(1 + pick(4)), () => pay(subject, 'card')),
  'is paid in the first second of a month': (subject, later) => {
    const {year, month} = monthOf(now);
    later(startOfMonth(monthAfter({year, month})) - now, () => pay(subject, 'maya'));
  },
  'is paid in the last second of a month': (subject, later) =>
    later(lastSecondOf(monthOf(now)) - now, () => pay(subject)),
  'waits for the approval of a payment': (subject) =>
    void merchant.sandbox.perform((tx) => redirectPayer(tx, subject.id, {method: 'gcash'})),
  'is paid, and refunded in part from here months later': (subject, later) => {
    pay(subject);
    later(months(2), () => refundHere(subject, 500_00));
  },
  'is paid, and refunded whole from here months later': (subject, later) => {
    pay(subject, 'card');
    later(months(1), () => refundHere(subject, subject.amount));
  },
  'is paid, and refunded twice from here': (subject, later) => {
    pay(subject);
    later(months(1), () => refundHere(subject, 200_00));
    later(months(3), () => refundHere(subject, 300_00));
  },
  'is paid, and refunded elsewhere': (subject, later) => {
    pay(subject);
    later(months(2), () => refundElsewhere(subject, 400_00));
  },
  'is paid, and refunded from here and elsewhere': (subject, later) => {
    pay(subject);
    later(months(1), () => refundHere(subject, 100_00));
    later(months(2), () => refundElsewhere(subject, 300_00));
  },
  'is paid, and refunded whole by the id of the payment': (subject, later) => {
    pay(subject);
    later(months(2), () => refundHere(subject, subject.amount, '--payment'));
  },
  'is voided from here': (subject, later) =>
    later(months(1), async () => {
      await ok('billing-statements', 'void', subject.id);
      note(subject, 'void');
    }),
  'is voided elsewhere': (subject, later) =>
    later(months(1), async () => {
      await act(subject, 'void');
      note(subject, 'void');
    }),
  'is paid in cash': (subject) => settle(subject),
  'is paid in cash months later': (subject, later) => later(months(3), () => settle(subject)),
  'is replaced': (subject, later) => later(months(1), async () => void (await reissue(subject))),
  'is replaced, and the new one is paid': (subject, later) =>
    later(months(1), async () => {
      const next = await reissue(subject);
      later(months(1), () => pay(next));
    }),
  'is replaced, and the new one is voided': (subject, later) =>
    later(months(1), async () => {
      const next = await reissue(subject);
      later(months(1), async () => {
        await act(next, 'void');
        note(next, 'void');
      });
    }),
  'is replaced twice, and the last one is paid in cash': (subject, later) =>
    later(months(1), async () => {
      const next = await reissue(subject);
      later(months(1), async () => settle(await reissue(next)));
    }),
  'is given up': (subject, later) =>
    later(months(3), async () => {
      await ok('billing-statements', 'mark-uncollectible', subject.id);
      note(subject, 'uncollectible');
    }),
  'is given up elsewhere': (subject, later) =>
    later(months(3), async () => {
      await act(subject, 'mark_uncollectible');
      note(subject, 'uncollectible');
    }),
};

/** What else the account has. */
const OTHERS: Readonly<Record<string, Step>> = {
  'a draft': async () => void (await merchant.draft({customer_id: anyCustomer()})),
  'a draft finalized months later': async (later) => {
    const {id, customer_id: customer, amount} = await merchant.draft({customer_id: anyCustomer()}, 777_00);
    later(months(1), async () => {
      await merchant.call('PUT', `/billing_statements/${id}`, {due_at: now + 9 * DAY});
      await merchant.call('POST', `/billing_statements/${id}/finalize`);
      note({id, customer, amount}, 'billing');
    });
  },
  'an amount held on a card': async () => void (await merchant.held()),
  'a payment of an own intent': async () => void (await merchant.payment()),
  'an open session': async () => void (await merchant.session()),
  'a paid session of a customer': async () => pay(await session(anyCustomer())),
  'a paid session without a customer': async () => pay(await session(null)),
  'a paid session, refunded from here': async (later) => {
    const subject = await session(anyCustomer());
    pay(subject);
    later(months(2), () => refundHere(subject, 150_00, '--payment'));
  },
};

const anyCustomer = (): string => customers[pick(customers.length)]!;
const monthOf = (at: number): Month => {
  const day = toManila(at);
  return {year: day.getUTCFullYear(), month: day.getUTCMonth() + 1};
};

async function session(customer: string | null): Promise<Subject> {
  const {id} = await merchant.session(customer === null ? {} : {customer_id: customer});
  return {id: String(id), customer, amount: 90_000};
}

/** Opens a statement, which then meets its fate. */
const opening =
  (fate: string): Step =>
  async (later) => {
    const amount = 1_000_00 + pick(500_000);
    const {id, customer_id: customer} = await merchant.open({customer_id: anyCustomer()}, amount);
    const subject = {id, customer, amount};
    note(subject, 'billing');
    await FATES[fate]!(subject, later);
  };

beforeAll(async () => {
  for (const [index, name] of ['Juan Dela Cruz', 'Kapeng Barako', 'Tita Baby'].entries()) {
    const fields = {name, email: `c${index}@example.com`, billing_statement_prefix: `SHOP${index}`};
    customers.push(String((await merchant.customer(fields)).id));
  }
  const planned: {at: number; step: Step}[] = [];
  const plan = (at: number, step: Step): void => void planned.push({at, step});
  for (const step of [...Object.keys(FATES).map(opening), ...Object.values(OTHERS)]) plan(now + pick(END - now), step);
  plan(lastSecondOf(MONTHS[3]!), opening('is paid months later'));
  for (const month of MONTHS) {
    const until = lastSecondOf(month);
    const dueBy = (): {at: number; step: Step}[] => planned.filter(({at}) => at <= until).sort((a, b) => a.at - b.at);
    for (let [next] = dueBy(); next; [next] = dueBy()) {
      planned.splice(planned.indexOf(next), 1);
      now = next.at;
      await next.step((seconds, step) => plan(now + seconds, step));
    }
    now = until;
    owedThen.set(monthText(month), (await read('owed')).total);
  }
}, 120_000);

const SUMS = {
  billed: 'billing',
  voided: 'void',
  received: 'payment',
  settled: 'settlement',
  uncollectible: 'uncollectible',
  refunded: 'refund',
  undated_refunds: 'undated',
} as const;
type Sums = Record<keyof typeof SUMS, number>;

/** Sums of what was done. @param since unix seconds, like `until` */
function sumsOf(since: number, until: number, fits: (each: Done) => boolean = () => true): Sums {
  const entries = Object.entries(SUMS).map(([name, type]) => [
    name,
    done
      .filter((each) => each.type === type && each.at >= since && each.at <= until && fits(each))
      .reduce((sum, {amount}) => sum + amount, 0),
  ]);
  return Object.fromEntries(entries) as Sums;
}

const owedAfter = ({billed, voided, received, settled, uncollectible}: Sums): number =>
  billed - voided - received - settled - uncollectible;
const dayOf = (at: number): string => toManila(at).toISOString().slice(0, 10);

test('every month is the sum of what was done, and its rows add up to what was owed', async () => {
  for (const month of MONTHS) {
    const [since, until, name] = [
      startOfMonth(month),
      lastSecondOf(month),
      `${monthText(month)}, CENTAVO_SEED=${SEED}`,
    ];
    const report = await read('month', monthText(month));
    expect(report, name).toMatchObject(sumsOf(since, until));
    expect(report.owed, name).toBe(owedAfter(sumsOf(0, until)));
    // `owed` said the same when it was now.
    expect(report.owed, name).toBe(owedThen.get(monthText(month)));
    expect(report.balance + report.carried_forward, name).toBe(report.owed);
    expect(report.after_refunds).toBe(report.received - report.refunded - report.undated_refunds);
    for (const row of report.data)
      expect(row.opening_balance + owedAfter(row), `${name} ${row.number}`).toBe(row.balance);

    const {data: exported}: Wire = await read('billing-statements', 'export', '--month', monthText(month));
    const kept = report.data.filter(
      ({state, statement_id: id}: Wire) => id && state !== 'void' && state !== 'replaced',
    );
    expect(
      exported.reduce((sum: number, {unit_price: price}: Wire) => sum + price, 0),
      name,
    ).toBe(kept.reduce((sum: number, {billed}: Wire) => sum + billed, 0));
  }
}, 60_000);

test('for any period, the ledgers and what has no customer are the same sums as paid', async () => {
  const first = startOfMonth(FIRST);
  const cuts = [...Array(8).keys()].map(() => first + pick((END - first) / DAY) * DAY).sort((a, b) => a - b);
  for (const [index, from] of [first, ...cuts].entries()) {
    const to = (cuts[index] ?? END + 1) - 1;
    if (to < from) continue;
    const period = ['--since', dayOf(from), '--until', dayOf(to)];
    const name = `${period.join(' ')}, CENTAVO_SEED=${SEED}`;
    const sums = sumsOf(from, to);
    const {received, settled, refunded, undated_refunds} = sums;
    const paid = await read('paid', ...period);
    expect(paid, name).toMatchObject({received, settled, refunded, undated_refunds});
    const total = sumsOf(from, to, ({customer}) => customer === null);
    for (const customer of customers) {
      const ledger = await read('customers', 'ledger', customer, ...period);
      expect(ledger, name).toMatchObject(sumsOf(from, to, (each) => each.customer === customer));
      expect(ledger.owed, name).toBe(owedAfter(sumsOf(0, to, (each) => each.customer === customer)));
      for (const each of Object.keys(SUMS) as (keyof Sums)[]) total[each] += ledger[each];
    }
    expect(total, name).toEqual(sums);
  }
}, 60_000);

test('a year can be closed from the CSV of its months', async () => {
  let owed = 0;
  for (const month of MONTHS.slice(0, 12)) {
    const [header = '', ...lines] = (await run(['month', monthText(month), '-o', 'csv'])).stdout.trim().split('\r\n');
    const names = header.split(',');
    // The amounts are numbers, so no cell before them in a row has a comma.
    const of = (name: string): number =>
      lines.reduce((sum, line) => sum + Number(line.split(',')[names.indexOf(`${name}_centavos`)]), 0);
    owed += of('billed') - of('voided') - of('received') - of('settled') - of('uncollectible');
    expect(owed, monthText(month)).toBe(owedThen.get(monthText(month)));
    expect(of('billed')).toBe(sumsOf(startOfMonth(month), lastSecondOf(month)).billed);
  }
});

test('a checkout payment says so in the tables', async () => {
  const paid = done.find(({type, customer}) => type === 'payment' && customer === null)!;
  const [since, month] = [dayOf(paid.at), monthText(monthOf(paid.at))];
  for (const words of [
    ['paid', '--since', since, '--until', since],
    ['month', month],
  ])
    expect((await run(words)).stdout).toMatch(/₱900\.00\t.*checkout, /);
});
