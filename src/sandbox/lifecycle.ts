// The state machine of every resource: allowed states, next state and event of each action.

import type {EventType} from '../api/events.js';
import {shapes} from '../api/registry.js';
import {invalidState} from './api-problems.js';
import type {StoredRecord} from './store.js';
import type {Transaction} from './transaction.js';

interface Transition {
  readonly from: readonly string[];
  /** The state stays the same by default. */
  readonly to?: string;
  readonly event?: EventType;
}

/** Actions of an attempt to pay, or to save a payment method. */
const ATTEMPT = {
  begin: {from: ['awaiting_payment_method', 'awaiting_next_action'], to: 'processing'},
  // `awaiting_next_action`: the payer chose another wallet before approving the first one.
  redirect: {from: ['awaiting_payment_method', 'awaiting_next_action'], to: 'awaiting_next_action'},
  fail: {from: ['processing'], to: 'awaiting_payment_method'},
} as const;

/** By resource, then by action. Has only documented or recorded transitions: the service may refuse others. */
export const LIFECYCLE: Readonly<Record<string, Readonly<Record<string, Transition>>>> = {
  billing_statement: {
    update: {from: ['draft'], event: 'billing_statement.updated'},
    delete: {from: ['draft'], event: 'billing_statement.deleted'},
    finalize: {from: ['draft'], to: 'open', event: 'billing_statement.finalized'},
    send: {from: ['open'], event: 'billing_statement.sent'},
    pay: {from: ['open'], to: 'paid', event: 'billing_statement.paid'},
    void: {from: ['open', 'uncollectible'], to: 'void', event: 'billing_statement.voided'},
    'mark-uncollectible': {
      from: ['open', 'void'],
      to: 'uncollectible',
      event: 'billing_statement.marked_uncollectible',
    },
    'will-be-due': {from: ['open'], event: 'billing_statement.will_be_due'},
    overdue: {from: ['open'], event: 'billing_statement.overdue'},
  },
  payment_intent: {
    update: {from: ['awaiting_payment_method']},
    attach: {from: ['awaiting_payment_method']},
    ...ATTEMPT,
    hold: {from: ['processing'], to: 'awaiting_capture', event: 'payment_intent.amount_capturable'},
    capture: {from: ['awaiting_capture']},
    succeed: {from: ['processing', 'awaiting_capture'], to: 'succeeded', event: 'payment_intent.succeeded'},
    cancel: {from: ['awaiting_payment_method'], to: 'canceled'},
    // The end of a statement, session or hold cancels its intent in any unpaid state.
    abandon: {
      from: ['awaiting_payment_method', 'awaiting_next_action', 'processing', 'awaiting_capture'],
      to: 'canceled',
    },
  },
  checkout_session: {
    pay: {from: ['active'], to: 'completed'},
    expire: {from: ['active'], to: 'expired', event: 'checkout_session.expired'},
  },
  setup_intent: {
    ...ATTEMPT,
    succeed: {from: ['processing'], to: 'succeeded', event: 'setup_intent.succeeded'},
    cancel: {from: ['awaiting_payment_method', 'awaiting_next_action'], to: 'canceled'},
  },
  payout: {
    dispatch: {from: ['pending'], to: 'in_transit'},
    deposit: {from: ['in_transit'], to: 'successful', event: 'payout.deposited'},
  },
  webhook: {
    enable: {from: ['enabled', 'disabled'], to: 'enabled'},
    disable: {from: ['enabled', 'disabled'], to: 'disabled'},
  },
};

export const allows = (record: StoredRecord, action: string): boolean =>
  LIFECYCLE[record.resource]![action]!.from.includes(String(record.status));

export function requireStatus(record: StoredRecord, action: string): void {
  if (allows(record, action)) return;
  const {from} = LIFECYCLE[record.resource]![action]!;
  const {title} = [...shapes.values()].find((shape) => shape.name === record.resource)!;
  throw invalidState(`The ${title} ${record.id} is ${String(record.status)}; it must be ${from.join(' or ')}.`);
}

export function transition(
  tx: Transaction,
  record: StoredRecord,
  action: string,
  changes: Record<string, unknown> = {},
): StoredRecord {
  requireStatus(record, action);
  const {to, event} = LIFECYCLE[record.resource]![action]!;
  // An action that changes no field, such as overdue, keeps `updated_at` (recorded bodies).
  const previous = tx.change(record, {...(to && {status: to}), ...changes});
  if (event) tx.emit(event, record, previous);
  return record;
}
