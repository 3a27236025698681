// What happened to the money: every state and attempt in a table, and properties over generated answers and histories.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {balanceAt, sumsOf, type Movement} from '../../src/accounting/movements.js';
import {
  isFinal,
  isPayable,
  isReceived,
  knownFrom,
  NO_HISTORY,
  refundableOf,
  standingOf,
  STATES,
  UNKNOWNS,
  type KnownFacts,
  type LocalSettlement,
  type MoneyState,
  type PaymentAttempt,
  type Standing,
} from '../../src/accounting/standing.js';
import {runs} from '../support/test-size.js';

type Json = Readonly<Record<string, unknown>>;

const NOW = 1_764_000_000;
const DAY = 86_400;
const CASH: LocalSettlement = {at: NOW - DAY, paidAt: NOW - 2 * DAY, reason: 'cash', amount: 1000, isCertain: true};
const RENT = {
  id: 'bstm_1',
  billing_statement_number: 'ANA-0001',
  status: 'open',
  amount: 1000,
  customer_id: 'cus_1',
  finalized_at: NOW - 10 * DAY,
  updated_at: NOW - DAY,
  due_at: NOW + DAY,
  payment_intent: {id: 'pi_1', status: 'awaiting_payment_method', amount: 1000, latest_payment: null},
};
const PAID = {
  id: 'pay_1',
  amount: 1000,
  amount_refunded: 0,
  created_at: NOW - 3 * DAY,
  payment_method: {type: 'gcash'},
};
const paidBy = (payment: Json = {}): Json => ({
  status: 'succeeded',
  amount: 1000,
  amount_received: 1000,
  latest_payment: {...PAID, ...payment},
});

const statement = (fields: Json = {}, intent: Json = {}, known: KnownFacts = {}): Standing =>
  standingOf({...RENT, ...fields, payment_intent: {...RENT.payment_intent, ...intent}}, known, NOW);
const session = (status: string, intent: Json = {}, fields: Json = {}): Standing =>
  standingOf(
    {id: 'cs_1', status, amount: 1000, payment_intent: {...RENT.payment_intent, ...intent}, ...fields},
    {},
    NOW,
  );
const intent = (fields: Json = {}): Standing => standingOf({...RENT.payment_intent, ...fields}, {}, NOW);

describe('the state of', () => {
  const held = {status: 'awaiting_capture', amount_capturable: 900, capture_before_at: NOW + 7 * DAY};
  const replacement = {id: 'bstm_2', name: 'ANA-0002'};
  const TABLE: readonly (readonly [string, () => Standing, MoneyState, PaymentAttempt, balance: number | null])[] = [
    ['a deleted draft', () => standingOf({id: 'bstm_1', deleted: true}, {}, NOW), 'deleted', 'unknown', 0],
    ['a draft', () => standingOf({...RENT, status: 'draft', payment_intent: null}, {}, NOW), 'draft', 'none', 0],
    ['an open statement', () => statement(), 'open', 'none', 1000],
    ['a statement due today', () => statement({due_at: NOW}), 'open', 'none', 1000],
    ['one due yesterday', () => statement({due_at: NOW - DAY}), 'overdue', 'none', 1000],
    [
      'one that waits for approval',
      () => statement({}, {status: 'awaiting_next_action'}),
      'approving',
      'approving',
      1000,
    ],
    [
      'an overdue one that waits for approval',
      () => statement({due_at: NOW - DAY}, {status: 'awaiting_next_action'}),
      'overdue',
      'approving',
      1000,
    ],
    ['one that is processed', () => statement({due_at: 1}, {status: 'processing'}), 'processing', 'processing', 1000],
    ['one whose money is held', () => statement({due_at: 1}, held), 'held', 'held', 1000],
    [
      'one after a failed attempt',
      () => statement({}, {last_payment_error: {code: 'card_declined'}}),
      'open',
      'failed',
      1000,
    ],
    ['one with a new kind of attempt', () => statement({}, {status: 'awaiting_moon'}), 'open', 'unknown', 1000],
    ['one of a list without intents', () => statement({payment_intent: undefined}, {}), 'open', 'none', 1000],
    ['a paid one', () => statement({status: 'paid'}, paidBy()), 'paid', 'succeeded', 0],
    ['an old answer about a paid one', () => statement({status: 'open'}, paidBy()), 'paid', 'succeeded', 0],
    ['a paid one that was voided', () => statement({status: 'void'}, paidBy()), 'paid', 'succeeded', 0],
    [
      'one refunded in part',
      () => statement({status: 'paid'}, paidBy({amount_refunded: 400})),
      'partly_refunded',
      'succeeded',
      0,
    ],
    [
      'one refunded in full',
      () => statement({status: 'paid'}, paidBy({amount_refunded: 1000})),
      'refunded',
      'succeeded',
      0,
    ],
    ['a void one', () => statement({status: 'void'}, {status: 'canceled'}), 'void', 'canceled', 0],
    [
      'one paid in cash',
      () => statement({status: 'void'}, {status: 'canceled'}, {settlement: CASH}),
      'settled',
      'canceled',
      0,
    ],
    ['one paid in cash, in an older list', () => statement({}, {}, {settlement: CASH}), 'settled', 'none', 0],
    [
      'one paid in cash and marked uncollectible since',
      () => statement({status: 'uncollectible'}, {}, {settlement: CASH}),
      'settled',
      'none',
      0,
    ],
    ['one perhaps settled', () => statement({}, {}, {settlement: {...CASH, isCertain: false}}), 'open', 'none', 1000],
    [
      'one perhaps settled, and void',
      () => statement({status: 'void'}, {}, {settlement: {...CASH, isCertain: false}}),
      'settled',
      'none',
      0,
    ],
    [
      'one paid in part, the rest given up',
      () => statement({status: 'uncollectible'}, {}, {settlement: {...CASH, isGivenUp: true}}),
      'uncollectible',
      'none',
      0,
    ],
    [
      'one given up and then void',
      () => statement({status: 'void'}, {}, {settlement: {...CASH, isGivenUp: true}}),
      'void',
      'none',
      0,
    ],
    ['a replaced one', () => statement({status: 'void'}, {}, {replacement}), 'replaced', 'none', 0],
    [
      'one settled and replaced',
      () => statement({status: 'void'}, {}, {replacement, settlement: CASH}),
      'settled',
      'none',
      0,
    ],
    ['an uncollectible one', () => statement({status: 'uncollectible'}), 'uncollectible', 'none', 0],
    ['one of a new status', () => statement({status: 'in_dispute'}), 'unknown', 'none', null],
    ['an open session', () => session('active'), 'open', 'none', 0],
    [
      'a session that waits for approval',
      () => session('active', {status: 'awaiting_next_action'}),
      'approving',
      'approving',
      0,
    ],
    ['a paid session', () => session('completed', paidBy()), 'paid', 'succeeded', 0],
    ['a session whose money is held', () => session('completed', held), 'held', 'held', 0],
    ['a session whose hold ended', () => session('completed', {status: 'canceled'}), 'canceled', 'canceled', 0],
    [
      'a completed session of a short list',
      () => session('completed', {}, {payment_intent: undefined}),
      'paid',
      'unknown',
      0,
    ],
    ['an expired session', () => session('expired', {status: 'canceled'}), 'expired', 'canceled', 0],
    ['an intent that waits for a method', () => intent(), 'open', 'none', 0],
    ['an intent that waits for approval', () => intent({status: 'awaiting_next_action'}), 'approving', 'approving', 0],
    ['an intent that is processed', () => intent({status: 'processing'}), 'processing', 'processing', 0],
    ['an intent whose money is held', () => intent(held), 'held', 'held', 0],
    ['a paid intent', () => intent(paidBy()), 'paid', 'succeeded', 0],
    ['a refunded intent', () => intent(paidBy({amount_refunded: 1000})), 'refunded', 'succeeded', 0],
    ['a canceled intent', () => intent({status: 'canceled'}), 'canceled', 'canceled', 0],
    ['an intent after a failed attempt', () => intent({last_payment_error: {code: 'x'}}), 'open', 'failed', 0],
    ['an intent after a failure without a code', () => intent({last_payment_error: {}}), 'open', 'failed', 0],
    ['an intent of a new status', () => intent({status: 'awaiting_moon'}), 'unknown', 'unknown', null],
  ];

  test.each(TABLE)('%s', (_, standing, state, attempt, balance) => {
    expect(standing()).toMatchObject({state, attempt, balance});
  });

  test('every state and attempt is in the table', () => {
    const shown = TABLE.map(([, standing]) => standing());
    expect([...new Set(shown.map(({state}) => state))].sort()).toEqual([...STATES].sort());
    expect(new Set(shown.map(({attempt}) => attempt)).size).toBe(8);
  });
});

describe('amounts and dates', () => {
  test('of held money', () => {
    const capture = {status: 'awaiting_capture', amount_capturable: 900, capture_before_at: NOW + 7 * DAY};
    expect(intent(capture)).toMatchObject({held: 900, heldUntil: NOW + 7 * DAY, received: 0, intentId: 'pi_1'});
    expect(intent({...capture, amount_capturable: null, amount: undefined}).held).toBeNull();
  });

  test('of a capture of less than was held', () => {
    expect(intent({...paidBy({amount: 600}), amount_received: 600})).toMatchObject({billed: 600, received: 600});
  });

  test('of a payment whose own amount is missing are the whole, and the payment is not known', () => {
    const paid = {status: 'succeeded', amount: 1000, latest_payment: {...PAID, amount: undefined}};
    expect(intent(paid)).toMatchObject({received: 1000, unknown: ['payment']});
    expect(intent({...paid, amount_received: 900})).toMatchObject({received: 900, unknown: []});
    expect(statement({status: 'paid'}, paid)).toMatchObject({received: 1000, unknown: []});
  });

  test('of a settlement are those of its day, or else of the last change of the statement', () => {
    const at = (settlement: LocalSettlement): Movement | undefined =>
      statement({status: 'void'}, {}, {settlement}).movements.find(({type}) => type === 'settlement');
    expect(at(CASH)).toMatchObject({at: CASH.paidAt, datedBy: 'history', amount: 1000});
    expect(at({...CASH, paidAt: null})).toMatchObject({at: RENT.updated_at, datedBy: 'last_change'});
  });

  test('of cash paid before the bill: shown as they are, counted on the day of the bill', () => {
    const {movements} = statement({status: 'void'}, {}, {settlement: {...CASH, paidAt: NOW - 30 * DAY}});
    expect(movements[1]).toMatchObject({at: NOW - 30 * DAY, bookedAt: RENT.finalized_at});
    expect(balanceAt(movements, NOW - 20 * DAY)).toBe(0);
  });

  test('of refunds: own ones by their date, the rest without one, in the month of the payment', () => {
    const own = {at: NOW - DAY, amount: 300, isCertain: true};
    const maybe = {at: NOW, amount: 300, isCertain: false};
    const refunds = (known: KnownFacts): readonly Movement[] =>
      statement({status: 'paid'}, paidBy({amount_refunded: 400}), known).movements.filter(
        ({type}) => type === 'refund',
      );
    expect(refunds({refunds: [maybe, own]})).toMatchObject([
      {at: NOW - DAY, amount: 300, datedBy: 'history'},
      {at: NOW, amount: 100, datedBy: 'history'},
    ]);
    expect(refunds({refunds: [own]})[1]).toMatchObject({at: null, amount: 100, bookedAt: PAID.created_at});
  });

  test('of refunds that the service does not show yet', () => {
    const refunds = [{at: NOW, amount: 300, isCertain: false}];
    const standing = statement({status: 'paid'}, paidBy(), {refunds});
    expect(standing).toMatchObject({refunded: 0, pendingRefunds: 300});
    expect(refundableOf(standing)).toBe(700);
  });

  test.each([
    [
      'a paid one without its payment',
      {status: 'paid'},
      {status: 'succeeded', latest_payment: 'pay_1'},
      {refunded: null},
    ],
    ['an amount that is text', {amount: '1000'}, {amount: null}, {billed: null, balance: null}],
    [
      'items without a quantity',
      {amount: null, line_items: [{amount: 5, quantity: null}]},
      {amount: null},
      {billed: null},
    ],
  ])('of %s are null', (_, fields, payment, expected) => {
    expect(statement(fields, payment)).toMatchObject(expected);
  });

  test('of a session come from its items if it has nothing else', () => {
    const line_items = [
      {amount: 300, quantity: 2},
      {amount: 400, quantity: 1},
    ];
    expect(session('completed', {}, {amount: undefined, payment_intent: undefined, line_items})).toMatchObject({
      billed: 1000,
      received: 1000,
      unknown: ['billed_at', 'paid_at', 'payment', 'refunds'],
    });
  });
});

test('a void statement says that its reason is not known, except on the machine that voided or replaced it', () => {
  const unknown = (known: KnownFacts) => statement({status: 'void'}, {}, known).unknown;
  expect(unknown({})).toEqual(['ended_why']);
  expect(unknown({isUnread: true})).toEqual(['history', 'ended_why']);
  expect(unknown({end: {at: NOW}})).toEqual([]);
  expect(unknown({settlement: CASH})).toEqual([]);
  expect(unknown({replacement: {id: 'bstm_2', name: 'ANA-0002'}})).toEqual([]);
});

test('the history counts for an ended statement, and for an older answer if it is certain', () => {
  const history = {...NO_HISTORY, settlement: () => CASH, end: () => ({at: NOW})};
  expect(knownFrom(history, {...RENT, status: 'void'})).toEqual({settlement: CASH});
  expect(knownFrom(history, RENT)).toEqual({settlement: CASH});
  const unsure = {...history, settlement: () => ({...CASH, isCertain: false})};
  expect(knownFrom(unsure, RENT)).toEqual({});
  expect(knownFrom({...history, settlement: () => undefined}, {...RENT, status: 'void'})).toEqual({end: {at: NOW}});
  expect(knownFrom(history, {id: 'cs_1', status: 'expired'})).toEqual({});
});

// Properties. An answer and a history are generated complete; then parts of the answer are left out.

interface Account {
  readonly object: Json;
  /** The same answer with parts left out. */
  readonly thin: Json;
  readonly known: KnownFacts;
}

const instant = fc.integer({min: NOW - 400 * DAY, max: NOW + 30 * DAY});
const centavos = fc.integer({min: 1, max: 5_999_999_999});
const INTENTS = [
  'awaiting_payment_method',
  'awaiting_next_action',
  'awaiting_capture',
  'processing',
  'succeeded',
  'canceled',
];

/** Leaves out a part of the fields, at any depth, but not those that say which object it is. */
const thinned = (value: Json, isKept: (path: string) => boolean, path = ''): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const at = `${path}.${name}`;
      if (!['id', 'status', 'deleted'].includes(name) && !isKept(at)) return [];
      const isObject = typeof field === 'object' && field !== null;
      return [[name, isObject ? thinned(field as Json, isKept, at) : field]];
    }),
  );

const account: fc.Arbitrary<Account> = fc
  .record({
    kind: fc.constantFrom('bstm_1', 'cs_1', 'pi_1'),
    status: fc.constantFrom('draft', 'open', 'paid', 'void', 'uncollectible', 'in_dispute'),
    sessionStatus: fc.constantFrom('active', 'completed', 'expired'),
    intentStatus: fc.constantFrom(...INTENTS, 'awaiting_moon'),
    amount: centavos,
    share: fc.double({min: 0, max: 1, noNaN: true}),
    times: fc.tuple(instant, instant, instant, instant, instant, instant),
    isDeleted: fc.boolean(),
    hasFailed: fc.boolean(),
    settlement: fc.option(
      fc.record({
        at: instant,
        paidAt: fc.option(instant),
        isCertain: fc.boolean(),
        isGivenUp: fc.constantFrom(undefined, true as const),
      }),
      {nil: undefined},
    ),
    refunds: fc.array(fc.record({at: instant, amount: centavos, isCertain: fc.boolean()}), {maxLength: 3}),
    replacement: fc.constantFrom(undefined, {id: 'bstm_2', name: 'ANA-0002'}),
    hasEnd: fc.boolean(),
    isUnread: fc.boolean(),
    left: fc.func(fc.integer({min: 0, max: 2})),
  })
  .map(({kind, amount, share, settlement, refunds, hasEnd, times, ...rest}) => {
    const [billed, updated, due, paid, end, until] = times;
    const isPaid = kind === 'bstm_1' ? rest.status === 'paid' : rest.intentStatus === 'succeeded';
    // Only the card payment of an intent or session can be captured in part.
    const received = kind === 'bstm_1' ? amount : Math.max(1, Math.floor(amount * share));
    const payment = {
      id: 'pay_1',
      amount: received,
      amount_refunded: rest.hasFailed ? 0 : Math.floor(received * share),
      created_at: paid,
      payment_method: {type: 'card'},
    };
    const intent = {
      id: 'pi_1',
      status: isPaid
        ? 'succeeded'
        : kind === 'bstm_1' && rest.intentStatus === 'succeeded'
          ? 'canceled'
          : rest.intentStatus,
      amount,
      amount_received: isPaid ? received : 0,
      amount_capturable: rest.intentStatus === 'awaiting_capture' ? amount : 0,
      capture_before_at: until,
      last_payment_error: rest.hasFailed ? {code: 'card_declined'} : null,
      latest_payment: isPaid ? payment : null,
      created_at: billed,
      updated_at: updated,
    };
    const status = kind === 'bstm_1' ? rest.status : isPaid ? 'completed' : rest.sessionStatus;
    const dates = {created_at: billed, finalized_at: billed, updated_at: updated, due_at: due};
    const object: Json =
      kind === 'pi_1'
        ? intent
        : {id: kind, status, amount, ...dates, ...(rest.isDeleted && {deleted: true}), payment_intent: intent};
    const known: KnownFacts = {
      ...(settlement && {settlement: {...settlement, amount, reason: 'cash'}}),
      ...(rest.replacement && {replacement: rest.replacement}),
      ...(hasEnd && {end: {at: end}}),
      refunds,
      ...(rest.isUnread && {isUnread: true}),
    };
    return {object, thin: thinned(object, (path) => rest.left(path) > 0), known};
  });

/** Checks a property for the whole answer and for the one with parts left out. */
function holds(check: (standing: Standing, found: {readonly object: Json; readonly known: KnownFacts}) => void): void {
  fc.assert(
    fc.property(account, ({object, thin, known}) => {
      check(standingOf(object, known, NOW), {object, known});
      check(standingOf(thin, known, NOW), {object: thin, known});
    }),
    {numRuns: runs(1500)},
  );
}

const intentOf = (object: Json): Json => (object.payment_intent ?? object) as Json;

describe('of every answer and history', () => {
  test('the sums of periods that cover all time are the sum of all time', () => {
    fc.assert(
      fc.property(account, fc.array(instant, {maxLength: 5}), ({thin, known}, cuts) => {
        const {movements} = standingOf(thin, known, NOW);
        const from = [-Infinity, ...cuts.sort((a, b) => a - b).map((cut) => cut + 1)];
        const until = [...cuts, Infinity];
        const parts = from.map((since, at) => sumsOf(movements, {since, until: until[at]!}));
        const whole = sumsOf(movements);
        for (const name of Object.keys(whole) as (keyof typeof whole)[])
          expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(whole[name]);
        // A row of a month adds up.
        parts.forEach((part, at) => {
          const {billed, voided, received, settled, uncollectible} = part;
          const opening = balanceAt(movements, from[at]! - 1);
          const left = opening + billed - voided - received - settled - uncollectible;
          expect(left).toBe(balanceAt(movements, until[at]!));
        });
      }),
      {numRuns: runs(1500)},
    );
  });

  test('the balance is what is left of the bill, never negative, and nothing once it ended', () => {
    holds(({state, billed, received, settled, balance, movements, id}) => {
      if (balance === null) return;
      const {voided, uncollectible} = sumsOf(movements);
      expect(balance).toBe(billed! - received! - settled! - voided - uncollectible);
      const isOwed = ['open', 'overdue', 'approving', 'processing', 'held'].includes(state) && id.startsWith('bstm_');
      expect(balance).toBe(isOwed ? billed : 0);
      for (const {bookedAt} of movements)
        for (const at of [bookedAt - 1, bookedAt]) expect(balanceAt(movements, at)).toBeGreaterThanOrEqual(0);
    });
  });

  test('refunds with and without a date are what was refunded; one without a date counts with its payment', () => {
    holds(({refunded, movements, received, pendingRefunds, ...rest}) => {
      const sums = sumsOf(movements);
      if (refunded !== null) expect(sums.refunded + sums.undated_refunds).toBe(refunded);
      const payment = movements.find(({type}) => type === 'payment');
      for (const {type, at, bookedAt} of movements) {
        if (type !== 'refund') continue;
        // A payment of an unknown amount has no movement; its refund still has one.
        expect(payment !== undefined || received === null).toBe(true);
        expect(bookedAt).toBeGreaterThanOrEqual(at ?? 0);
        if (payment) expect(bookedAt).toBe(Math.max(at ?? 0, payment.bookedAt));
      }
      const left = refundableOf({refunded, movements, received, pendingRefunds, ...rest});
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(Math.max(0, (received ?? 0) - (refunded ?? 0)));
    });
  });

  test('what came in keeps a statement out of void, open and every other state; nothing else does', () => {
    holds((standing, {object, known: {settlement}}) => {
      const {state, received, settled} = standing;
      const {status} = object;
      if (state === 'deleted' || state === 'draft') return;
      const isPaid = intentOf(object).status === 'succeeded' || status === 'paid';
      const isSettled =
        object.id === 'bstm_1' && settlement && !settlement.isGivenUp && (settlement.isCertain || status === 'void');
      if (isPaid || isSettled) expect(isReceived(standing)).toBe(true);
      if (isPaid) expect(settled === null ? 0 : settled).toBe(0);
      // A short answer about a completed session has nothing else to go by.
      else if (!isSettled && status !== 'completed') expect(isReceived(standing)).toBe(false);
      if (settlement?.isGivenUp) expect(settled ?? 0).toBe(0);
      if (state === 'settled' && settled !== null) expect([received, settled]).toEqual([0, standing.billed]);
    });
  });

  test('the first true state is the state', () => {
    holds(({state, daysOverdue}, {object, known: {settlement, replacement}}) => {
      const {status, id} = object;
      const isStatement = id === 'bstm_1';
      const own = intentOf(object);
      const attempt = own === object && id !== 'pi_1' ? undefined : own.status;
      const payment = own.latest_payment as Json | null | undefined;
      const paid =
        attempt === 'succeeded' ||
        (isStatement
          ? status === 'paid'
          : status === 'completed' && (attempt ?? 'awaiting_moon') === 'awaiting_moon') ||
        (id === 'cs_1' && status === 'completed' && attempt === 'awaiting_payment_method' && !own.last_payment_error);
      const received = payment?.amount ?? (own.amount_received || (object.amount ?? own.amount));
      const refunded = paid && payment?.amount_refunded ? payment.amount_refunded : 0;
      const due = Math.floor((Number(object.due_at) + 8 * 3600) / DAY);
      const late = Math.floor((NOW + 8 * 3600) / DAY) - due;
      const TRUE: Readonly<Record<MoneyState, boolean>> = {
        deleted: object.deleted === true,
        draft: status === 'draft',
        refunded: Number(refunded) > 0 && Number(refunded) >= Number(received ?? Infinity),
        partly_refunded: Number(refunded) > 0 && received !== undefined,
        paid,
        settled: isStatement && !!settlement && !settlement.isGivenUp && (settlement.isCertain || status === 'void'),
        replaced: status === 'void' && !!replacement,
        void: status === 'void',
        uncollectible: status === 'uncollectible',
        expired: status === 'expired',
        canceled: !isStatement && attempt === 'canceled',
        held: attempt === 'awaiting_capture',
        processing: attempt === 'processing',
        overdue: isStatement && status === 'open' && object.due_at !== undefined && late > 0,
        approving: attempt === 'awaiting_next_action',
        open: ['active', 'awaiting_payment_method', 'open'].includes(String(status)),
        unknown: true,
      };
      expect(state).toBe(STATES.find((each) => TRUE[each]));
      if (state === 'overdue') expect(daysOverdue).toBe(late);
    });
  });

  test('an answer with parts left out makes an amount null or leaves it as it was, and says what is not known', () => {
    fc.assert(
      fc.property(account, ({object, thin, known}) => {
        const full = standingOf(object, known, NOW);
        const short = standingOf(thin, known, NOW);
        // Without its intent a completed session counts as paid, and a capture as one of the whole amount.
        const isGuess = !String(object.id).startsWith('bstm_') && short.unknown.includes('payment');
        for (const name of ['billed', 'received', 'settled', 'refunded', 'balance', 'held'] as const)
          if (short[name] !== null && !isGuess) expect([name, short[name]]).toEqual([name, full[name]]);
        if (short.balance === null)
          expect([...short.unknown, short.state]).toEqual(
            expect.arrayContaining([expect.stringMatching(/^(amount|unknown)$/)]),
          );
        if (short.refunded === null) expect(short.state === 'unknown' || short.unknown.includes('refunds')).toBe(true);
        if (short.held === null) expect(short.attempt).toMatch(/unknown|held/);
        expect(new Set(short.unknown).size).toBe(short.unknown.length);
        expect(UNKNOWNS).toEqual(expect.arrayContaining([...short.unknown]));
      }),
      {numRuns: runs(1500)},
    );
  });

  test('nothing is booked before its bill, and every amount is a positive number of centavos', () => {
    holds(({movements, state, billed}) => {
      const bill = movements.find(({type}) => type === 'billing');
      // A bill of an unknown amount has no movement.
      if (bill) expect([movements[0], bill.bookedAt]).toEqual([bill, bill.at ?? 0]);
      else expect(movements.length === 0 || billed === null).toBe(true);
      for (const {at, bookedAt, amount, datedBy} of movements) {
        expect(bookedAt).toBeGreaterThanOrEqual(bill?.bookedAt ?? 0);
        expect(bookedAt).toBeGreaterThanOrEqual(at ?? 0);
        expect(at === null).toBe(datedBy === 'unknown');
        expect(Number.isSafeInteger(amount) && amount > 0).toBe(true);
      }
      if (state === 'draft' || state === 'deleted') expect(movements).toEqual([]);
    });
  });

  test('a statement is payable, ended, or neither for a while', () => {
    holds((standing) => {
      expect(isPayable(standing) && isFinal(standing)).toBe(false);
      const isBetween = ['draft', 'held', 'processing', 'unknown'].includes(standing.state);
      expect(isPayable(standing) || isFinal(standing)).toBe(!isBetween);
    });
  });
});
