// What happens by itself when its time has come: in order, each at its own instant, before anything else is done.

import {allows, transition} from './lifecycle.js';
import {abandonIntent} from './paying/intents.js';
import type {SessionRecord, StatementRecord} from './record-types.js';
import type {TimerKind} from './store.js';
import type {Work} from './transaction.js';

/** How long before its due time a statement is announced, in seconds (field notes, section 5). */
const NOTICE = 432_000;

type Due = (work: Work, id: string) => void;

const handlers: Readonly<Record<TimerKind, Due>> = {
  'capture-deadline': abandonIntent,
  'payout-deposit': (work, id) => advance(work, id, 'deposit'),
  'payout-dispatch': (work, id) => advance(work, id, 'dispatch'),
  'session-expiry': (work, id) => {
    const session = work.peek(id);
    if (session && allows(session, 'expire')) expireSession(work, session as SessionRecord);
  },
  'statement-overdue': (work, id) => advance(work, id, 'overdue'),
  'statement-will-be-due': (work, id) => advance(work, id, 'will-be-due'),
};

/** Takes an action, if it still matters. */
function advance(work: Work, id: string, action: string): void {
  const record = work.peek(id);
  if (record && allows(record, action)) transition(work, record, action);
}

/** Sets the timers of a statement that was just opened; what is past by then is not announced. */
export function scheduleDueTimes(work: Work, {id, due_at: due}: StatementRecord): void {
  if (!due) return;
  if (due - NOTICE > work.now) work.store.schedule({at: due - NOTICE, kind: 'statement-will-be-due', id});
  if (due > work.now) work.store.schedule({at: due, kind: 'statement-overdue', id});
}

/**
 * Ends a checkout session that was not paid, and its intent.
 * @throws Problem 400 when it is not active
 */
export function expireSession(work: Work, session: SessionRecord): void {
  work.store.unschedule(session.id);
  abandonIntent(work, session._payment_intent_id);
  transition(work, session, 'expire');
}

/** Does everything that is due at the work's instant. */
export function runDueTimers(work: Work): void {
  for (let timer = work.store.takeDue(work.now); timer; timer = work.store.takeDue(work.now)) {
    handlers[timer.kind](work.at(timer.at), timer.id);
  }
}
