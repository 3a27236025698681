// The sentence and the label of every state, read as a person reads them.

import {expect, test} from 'vitest';
import {standingOf, STATES, type KnownFacts} from '../../src/accounting/standing.js';
import {
  attemptSentence,
  describeStanding,
  settlementText,
  stateLabel,
  STATE_WORDS,
  UNKNOWN_WORDS,
} from '../../src/accounting/words.js';

const DAY = 86_400;
/** Tuesday, 25 November 2025, 00:00 in Manila. */
const NOW = 1_764_000_000;
const payment = (refunded: number) => ({
  status: 'succeeded',
  amount_received: 150_000,
  latest_payment: {
    id: 'pay_1',
    amount: 150_000,
    amount_refunded: refunded,
    created_at: NOW - 3 * DAY,
    payment_method: {type: 'gcash'},
  },
});
const settlement = {at: NOW, paidAt: NOW - 2 * DAY, reason: 'cash', amount: 150_000, isCertain: true};

const of = (fields: object, known: KnownFacts = {}) =>
  standingOf(
    {
      id: 'bstm_1',
      billing_statement_number: 'ANA-0001',
      status: 'open',
      amount: 150_000,
      finalized_at: NOW - 9 * DAY,
      updated_at: NOW,
      due_at: NOW + 5 * DAY,
      payment_intent: null,
      ...fields,
    },
    known,
    NOW,
  );
const held = {status: 'awaiting_capture', amount_capturable: 150_000, capture_before_at: NOW + 7 * DAY};

const SHOWN = {
  deleted: of({deleted: true}),
  draft: of({status: 'draft'}),
  open: of({}),
  overdue: of({due_at: NOW - 2 * DAY}),
  approving: of({payment_intent: {status: 'awaiting_next_action'}}),
  processing: of({payment_intent: {status: 'processing'}}),
  held: of({payment_intent: held}),
  paid: of({status: 'paid', payment_intent: payment(0)}),
  partly_refunded: of({status: 'paid', payment_intent: payment(40_000)}),
  refunded: of({status: 'paid', payment_intent: payment(150_000)}),
  settled: of({status: 'void'}, {settlement}),
  replaced: of({status: 'void'}, {replacement: {id: 'bstm_2', name: 'ANA-0002'}}),
  void: of({status: 'void'}),
  uncollectible: of({status: 'uncollectible'}),
  expired: of({status: 'expired'}),
  canceled: of({id: 'pi_1', status: 'canceled'}),
  unknown: of({status: 'in_dispute'}),
} as const;

test('every state has a sentence that fits after the number', () => {
  expect(Object.keys(SHOWN).sort()).toEqual([...STATES].sort());
  const sentences = Object.entries(SHOWN).map(([state, standing]) => {
    expect(standing.state).toBe(state);
    return describeStanding(standing, NOW);
  });
  expect(`${sentences.join('\n')}\n`).toMatchInlineSnapshot(`
    "ANA-0001 was deleted
    ANA-0001 is a draft
    ANA-0001 is open
    ANA-0001 is open and overdue by 2 days
    ANA-0001 is open: the customer started a payment and has not approved it yet
    ANA-0001 is being paid: the customer approved the payment, and the service is processing it
    ANA-0001 is not collected yet: ₱1,500.00 is held on a card until 2 Dec
    ANA-0001 was paid on 22 Nov by GCash
    ANA-0001 was paid on 22 Nov by GCash, and ₱400.00 of it was refunded
    ANA-0001 was paid on 22 Nov by GCash, and refunded in full
    ANA-0001 was paid outside the service on 23 Nov: cash
    ANA-0001 was replaced by ANA-0002
    ANA-0001 is void
    ANA-0001 is marked uncollectible
    ANA-0001 has expired
    ANA-0001 is canceled
    ANA-0001 has a status that centavo does not know
    "
  `);
});

test('every state has a short label, with its day where no other column has it', () => {
  const labels = Object.values(SHOWN).map((standing) => stateLabel(standing, NOW, false).text);
  expect(labels).toMatchInlineSnapshot(`
    [
      "deleted",
      "draft",
      "due 30 Nov",
      "overdue 2 days",
      "due 30 Nov",
      "processing",
      "held",
      "paid 22 Nov",
      "partly refunded",
      "refunded",
      "settled 23 Nov",
      "replaced",
      "void",
      "uncollectible",
      "expired",
      "canceled",
      "unknown",
    ]
  `);
  expect(stateLabel(SHOWN.paid, NOW, true)).toEqual({text: 'paid', style: 'green'});
  expect(stateLabel(SHOWN.open, NOW, true).text).toBe('open');
  expect(stateLabel(of({due_at: NOW + 3600}), NOW, true).text).toBe('due today');
});

test('the attempt is said where the state does not say it', () => {
  const challenge = {status: 'awaiting_next_action'};
  expect(attemptSentence(of({due_at: 1, payment_intent: challenge}))).toContain('has not approved it yet');
  expect(attemptSentence(SHOWN.approving)).toBeUndefined();
  const failed = {status: 'awaiting_payment_method', last_payment_error: {code: 'card_declined'}};
  expect(attemptSentence(of({payment_intent: failed}))).toBe('The last payment failed with card_declined.');
});

test('held money of an unknown amount is no amount', () => {
  const unsure = of({amount: null, payment_intent: {...held, amount_capturable: null}});
  expect(describeStanding(unsure, NOW)).toBe('ANA-0001 is not collected yet: money is held on a card until 2 Dec');
});

test('a settlement says how the statement ended', () => {
  expect(settlementText(SHOWN.settled)).toBe('Sunday, 23 November 2025: cash (voided)');
  expect(settlementText(of({status: 'uncollectible'}, {settlement: {...settlement, isGivenUp: true}}))).toContain(
    'cash (marked uncollectible)',
  );
  expect(settlementText(SHOWN.paid)).toBeUndefined();
});

test('no word is empty, and none says that nobody paid', () => {
  const words = [...Object.values(STATE_WORDS).map(({label}) => label), ...Object.values(UNKNOWN_WORDS)];
  for (const word of words) expect(word).toMatch(/^[a-z]/);
});
