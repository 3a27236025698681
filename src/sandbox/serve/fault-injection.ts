// Simulated faults of requests and deliveries. The same seed gives the same sequence.

import {usageError} from '../../common/errors.js';
import {seededRandom} from '../../common/seeded-random.js';

/** Faults of one request. A `-before` fault changes nothing; an `-after` fault follows the change. */
export const REQUEST_FAULTS = ['rate-limit', 'unavailable', 'reset-before', 'reset-after', 'error-after'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

export const WEBHOOK_FAULTS = ['duplicate-webhook', 'late-webhook', 'out-of-order-webhook'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

type Rates<Name extends string> = Readonly<Partial<Record<Name, number>>>;

export interface InjectedFaults {
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** From 0 (never) to 1 (always). Request faults add up to at most 1, and so do webhook faults. */
  readonly rates?: Rates<RequestFault | WebhookFault>;
}

/** Returns a function that gives the next request's fault, if any. @throws CentavoError for rates that are no chances */
export const faultSequence = (faults: InjectedFaults, seed: number): (() => RequestFault | undefined) =>
  sequence(REQUEST_FAULTS, faults, seed);

export const webhookFaultSequence = (faults: InjectedFaults, seed: number): (() => WebhookFault | undefined) =>
  sequence(WEBHOOK_FAULTS, faults, seed);

function sequence<Name extends RequestFault | WebhookFault>(
  names: readonly Name[],
  {rates = {}}: InjectedFaults,
  seed: number,
): () => Name | undefined {
  const sum = names.reduce((total, name) => {
    const {[name]: rate = 0} = rates;
    if (!(rate >= 0 && rate <= 1)) throw usageError('usage', `the fault rate ${name}: ${rate} is not from 0 to 1.`);
    return total + rate;
  }, 0);
  // A sum of decimal fractions may be slightly above 1.
  if (sum > 1.000_001)
    throw usageError('usage', 'the fault rates add up to more than 1.', {why: `They add up to ${sum}.`});
  const chance = seededRandom(seed);
  return () => {
    let roll = chance();
    for (const name of names) {
      roll -= rates[name] ?? 0;
      if (roll < 0) return name;
    }
    return undefined;
  };
}
