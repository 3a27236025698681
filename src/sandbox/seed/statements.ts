// Sixty statements in every state, with their items and what happened to each.

import {pay, type PayOptions} from '../paying/payer.js';
import {act} from '../requests/router.js';
import {OFFERS} from './names.js';
import {DAY, HOUR, type Timeline} from './timeline.js';

type State = 'draft' | 'open' | 'overdue' | 'paid' | 'uncollectible' | 'void';

/** Statements of one state, created this many days ago. */
const PROFILES: readonly {
  readonly state: State;
  readonly age: readonly [low: number, high: number];
  readonly count: number;
}[] = [
  {state: 'draft', age: [0.1, 6], count: 6},
  {state: 'open', age: [0.5, 10], count: 11},
  // Overdue by up to one month, two and three, so that every bucket of an aging report has some.
  {state: 'overdue', age: [12, 30], count: 4},
  {state: 'overdue', age: [40, 60], count: 3},
  {state: 'overdue', age: [70, 88], count: 3},
  {state: 'paid', age: [4, 88], count: 24},
  {state: 'void', age: [8, 80], count: 5},
  {state: 'uncollectible', age: [65, 88], count: 4},
];

const WAYS: readonly PayOptions[] = [
  {method: 'card'},
  {method: 'gcash'},
  {card: '5425233430109903'},
  {method: 'maya'},
  {method: 'qrph'},
  {card: '4701322211111234'},
  {method: 'gcash'},
  {card: '4000000760000002'},
];

/** Which of the paid ones are refunded, and how much of each. */
const REFUNDS: Readonly<Record<number, readonly [part: number, reason: string, remarks?: string]>> = {
  2: [0.25, 'requested_by_customer'],
  6: [1, 'service_not_provided'],
  9: [0.5, 'others', 'Delivered a week late; half was given back.'],
  15: [0.1, 'product_was_damaged'],
  19: [1, 'requested_by_customer'],
};

const FAILING_CARDS = ['4503300000000008', '4005550000000019', '4205260000000005'];

/** One statement: its position among those of its profile, when it was created, and for whom. */
interface Case {
  readonly state: State;
  readonly index: number;
  readonly made: number;
  readonly customerId: () => string;
  readonly orderId?: string;
}

/** @param customerId gives the id of the customer at this position, once it is created */
export function addStatements(timeline: Timeline, customers: number, customerId: (place: number) => string): void {
  let added = 0;
  for (const {state, age, count} of PROFILES) {
    for (let index = 0; index < count; index += 1) {
      const place = (added * 7) % customers;
      const orderId = added % 3 === 0 ? `HS-${2400 + added}` : undefined;
      addStatement(timeline, {
        state,
        index,
        made: timeline.ago(timeline.between(...age)),
        customerId: () => customerId(place),
        orderId,
      });
      added += 1;
    }
  }
}

function addStatement(timeline: Timeline, one: Case): void {
  const {state, index, made} = one;
  const lines = itemsOf(timeline, state === 'draft' && index === 0 ? 0 : timeline.whole(1, 4));
  const due = dueTime(timeline, one);
  let id = '';
  timeline.on(made, (tx) => {
    id = act(tx, 'billing-statements:create', {
      customer_id: one.customerId(),
      currency: 'PHP',
      ...(one.orderId && {metadata: {'Order ID': one.orderId}}),
      // The first two paid statements save a payment method: a card and a wallet.
      ...(state === 'paid' && index < 2 && {setup_future_usage: 'off_session'}),
    }).id;
    for (const line of lines) act(tx, 'billing-statement-line-items:create', {...line, billing_statement_id: id});
    if (due) act(tx, 'billing-statements:update', {due_at: due}, id);
  });
  if (state === 'draft') return;
  timeline.on(made + 300, (tx) => {
    act(tx, 'billing-statements:finalize', {}, id);
    act(tx, 'billing-statements:send', {}, id);
  });
  addEnd(timeline, one, () => id);
}

function dueTime(timeline: Timeline, {state, index, made}: Case): number | undefined {
  if (state === 'draft') return index % 2 === 1 ? timeline.now + timeline.whole(7, 21) * DAY : undefined;
  // In the future for open statements and in the past for overdue ones, of which the youngest are twelve days old.
  if (state === 'open') return timeline.now + timeline.whole(2, 20) * DAY;
  return made + timeline.whole(7, 10) * DAY;
}

function addEnd(timeline: Timeline, {state, index, made}: Case, id: () => string): void {
  if (state === 'paid') addPayment(timeline, index, made, id);
  if (state === 'overdue' && index === 0) addFailure(timeline, made + 2 * DAY, index, id);
  if (state === 'void')
    timeline.on(made + timeline.whole(1, 5) * DAY, (tx) => void act(tx, 'billing-statements:void', {}, id()));
  if (state === 'uncollectible')
    timeline.on(made + 45 * DAY, (tx) => void act(tx, 'billing-statements:mark-uncollectible', {}, id()));
}

function addFailure(timeline: Timeline, at: number, index: number, id: () => string): void {
  timeline.on(at, (tx) => void pay(tx, id(), {card: FAILING_CARDS[index % FAILING_CARDS.length]}));
}

function addPayment(timeline: Timeline, index: number, made: number, id: () => string): void {
  const at = made + Math.round(timeline.between(0.1, Math.min(12, (timeline.now - made) / DAY - 1)) * DAY);
  if (index % 5 === 1) addFailure(timeline, at - HOUR / 2, index, id);
  let paymentId = '';
  let amount = 0;
  timeline.on(at, (tx) => ({id: paymentId, amount} = timeline.paid(tx, id(), WAYS[index % WAYS.length]!)));
  const refund = REFUNDS[index];
  if (!refund) return;
  const [part, reason, remarks] = refund;
  timeline.on(at + timeline.whole(2, 18) * HOUR, (tx) =>
    timeline.refund(tx, paymentId, Math.round(amount * part), reason, remarks),
  );
}

function itemsOf(timeline: Timeline, count: number): Record<string, unknown>[] {
  const offers = new Set(Array.from({length: count}, () => timeline.pick(OFFERS)));
  return [...offers].map((offer) => ({
    description: offer.description,
    unit_price: Math.round(timeline.between(...offer.pesos) / 50) * 50 * 100,
    quantity: timeline.whole(1, offer.most),
  }));
}
