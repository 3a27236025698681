// Timers for changes without a request. Due timers run in order before any action, each at its due time.

import {allows, transition} from './lifecycle.js';
import {abandonIntent, finishAttempt} from './payments/intents.js';
import type {IntentRecord, SessionRecord, StatementRecord} from './record-types.js';
import type {TimerKind} from './store.js';
import type {Transaction} from './transaction.js';

/** Seconds between `billing_statement.will_be_due` and the due time. */
export const NOTICE = 432_000;

const handlers: Readonly<Record<TimerKind, (tx: Transaction, id: string) => void>> = {
  'capture-deadline': (tx, id) => abandonIntent(tx, id),
  // Abandoning an intent removes its timer.
  'payment-end': (tx, id) => void finishAttempt(tx, tx.peek(id) as IntentRecord),
  'payout-deposit': (tx, id) => advance(tx, id, 'deposit'),
  'payout-dispatch': (tx, id) => advance(tx, id, 'dispatch'),
  'session-expiry': (tx, id) => {
    const session = tx.peek(id);
    if (session && allows(session, 'expire')) expireSession(tx, session as SessionRecord);
  },
  'statement-overdue': (tx, id) => advance(tx, id, 'overdue'),
  'statement-will-be-due': (tx, id) => advance(tx, id, 'will-be-due'),
};

function advance(tx: Transaction, id: string, action: string): void {
  const record = tx.peek(id);
  if (record && allows(record, action)) transition(tx, record, action);
}

/** Sets the future timers of an open statement. */
export function scheduleDueTimes(tx: Transaction, {id, due_at: due}: StatementRecord): void {
  if (!due) return;
  if (due - NOTICE > tx.now) tx.store.schedule({at: due - NOTICE, kind: 'statement-will-be-due', id});
  if (due > tx.now) tx.store.schedule({at: due, kind: 'statement-overdue', id});
}

export function expireSession(tx: Transaction, session: SessionRecord): void {
  tx.store.unschedule(session.id);
  abandonIntent(tx, session._payment_intent_id);
  transition(tx, session, 'expire');
}

export function runDueTimers(tx: Transaction): void {
  for (let timer = tx.store.takeDue(tx.now); timer; timer = tx.store.takeDue(tx.now))
    handlers[timer.kind](tx.at(timer.at, `timer:${timer.kind}`), timer.id);
}
