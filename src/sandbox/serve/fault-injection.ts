// Simulated faults of requests and deliveries. The same seed gives the same sequence.

import {seededRandom} from '../../common/random.js';

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

/** Returns a function that gives the next request's fault, if any. */
export const faultSequence = (faults: InjectedFaults, seed: number): (() => RequestFault | undefined) =>
  sequence(REQUEST_FAULTS, faults, seed);

export const webhookFaultSequence = (faults: InjectedFaults, seed: number): (() => WebhookFault | undefined) =>
  sequence(WEBHOOK_FAULTS, faults, seed);

function sequence<Name extends RequestFault | WebhookFault>(
  names: readonly Name[],
  {rates = {}}: InjectedFaults,
  seed: number,
): () => Name | undefined {
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
