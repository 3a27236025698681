// Simulated faults of requests and of webhook deliveries. The same seed gives the same sequence of faults.

import {seededRandom} from '../../common/random.js';

/** What goes wrong with one request. With `-before` nothing is done; with `-after` the change is made. */
export const REQUEST_FAULTS = ['rate-limit', 'unavailable', 'reset-before', 'reset-after', 'error-after'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

export const WEBHOOK_FAULTS = ['duplicate-webhook', 'late-webhook', 'out-of-order-webhook'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

type Rates<Name extends string> = Readonly<Partial<Record<Name, number>>>;

export interface InjectedFaults {
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** From 0 (never) to 1 (always). The rates of request faults sum to at most 1, as do those of webhook faults. */
  readonly rates?: Rates<RequestFault | WebhookFault>;
}

/** Each call of the returned function gives the fault of the next request, if any. */
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
