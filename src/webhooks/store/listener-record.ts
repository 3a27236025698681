// The record of this machine's listeners: the outcome of an event at each app, or before any app.

import {isAccepted} from '../../http/webhook-sender.js';
import type {IsProcessAlive} from '../../processes/process-identity.js';
import {secretName, type Delivery, type ForwardAttempt, type WaitingDelivery} from '../receive/delivery.js';
import type {DeliveryStore} from './deliveries.js';

export interface AppOutcome {
  readonly delivery: Delivery;
  /** `retrying` and `given_up`: the last attempt failed. */
  readonly outcome: 'delivered' | 'given_up' | 'held' | 'not_forwarded' | 'not_genuine' | 'retrying' | 'waiting';
  /** Null without an attempt. */
  readonly target: string | null;
  /** Attempts at this target, oldest first. Times are by this machine's clock. */
  readonly attempts: readonly ForwardAttempt[];
  readonly waiting: WaitingDelivery | undefined;
}

interface OutcomeOptions {
  readonly isAlive: IsProcessAlive;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
}

export type DeliveryOutcome = ReturnType<typeof deliveryOutcomeOf>;
export type ListenerRecord = ReturnType<typeof listenerRecordOf>;

/** Returns the attempts to forward a delivery, its outcome at each app, and the attempt or event that it waits for. */
export function deliveryOutcomeOf(
  {forwards}: DeliveryStore,
  delivery: Delivery,
  {isAlive, nowMilliseconds}: OutcomeOptions,
) {
  const attempts = forwards.attempts(delivery.id);
  const waiting = forwards.waitingFor(delivery, isAlive, nowMilliseconds());
  return {attempts, waiting, apps: appOutcomes(delivery, attempts, waiting)};
}

function appOutcomes(
  delivery: Delivery,
  attempts: readonly ForwardAttempt[],
  waiting: WaitingDelivery | undefined,
): readonly AppOutcome[] {
  const before = (outcome: AppOutcome['outcome']) => [{delivery, outcome, target: null, attempts: [], waiting}];
  if (!delivery.verdict.genuine) return before('not_genuine');
  if (waiting?.heldBy) return before('held');
  if (attempts.length === 0) return before(waiting ? 'waiting' : 'not_forwarded');
  const failed = waiting ? 'retrying' : 'given_up';
  const apps = [...new Set(attempts.map(({target}) => target))].map((target): AppOutcome => {
    const made = attempts.filter((attempt) => attempt.target === target);
    return {delivery, outcome: isAccepted(made.at(-1)!.status) ? 'delivered' : failed, target, attempts: made, waiting};
  });
  // An address that refused it does not count once a later one accepted it: the user corrected the address.
  const accepted = apps.filter(({outcome}) => outcome === 'delivered');
  const isCorrected = ({attempts: made}: AppOutcome): boolean =>
    accepted.some((later) => later.attempts[0]!.startedAt > made.at(-1)!.startedAt);
  return apps.filter((app) => app.outcome === 'delivered' || !isCorrected(app));
}

export const listenerRecordOf = (store: DeliveryStore, options: OutcomeOptions) => ({
  ofEvent: (event: string): readonly AppOutcome[] =>
    store.findAllByEvent(event).flatMap((delivery) => deliveryOutcomeOf(store, delivery, options).apps),
  /** Names the deliveries of listeners that were given this secret. */
  nameOfSecret: secretName,
  /** Changes with each write. */
  version: () => store.version(),
  nowMilliseconds: options.nowMilliseconds,
});
