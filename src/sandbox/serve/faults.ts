// Simulated faults of requests and of webhook deliveries. The same seed gives the same sequence of faults.

import {usageError} from '../../ground/errors.js';
import {seededRandom} from '../../ground/random.js';

/** What goes wrong with one request. With `-before` nothing is done; with `-after` the change is made. */
const REQUEST_FAULTS = ['rate-limit', 'unavailable', 'reset-before', 'reset-after', 'error-after'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

const WEBHOOK_FAULTS = ['duplicate-webhook', 'late-webhook', 'out-of-order-webhook'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

export const FAULTS = [...REQUEST_FAULTS, ...WEBHOOK_FAULTS];

type Rates<Name extends string> = Readonly<Partial<Record<Name, number>>>;

export interface Faults {
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** From 0 (never) to 1 (always). The rates of request faults sum to at most 1, as do those of webhook faults. */
  readonly rates?: Rates<RequestFault | WebhookFault>;
}

/** Milliseconds; longer than any client of ours waits. */
const LONGEST_LATENCY = 60_000;

export function parseFaults(text: string): Faults {
  const rates: Record<string, number> = {};
  let latency: number | undefined;
  for (const part of text
    .split(',')
    .map((piece) => piece.trim())
    .filter(Boolean)) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (name === 'latency') latency = numberOf(part, value, LONGEST_LATENCY, 'milliseconds');
    else if ((FAULTS as string[]).includes(name))
      rates[name] = numberOf(part, value, 1, 'the rate, where 1 means always');
    else
      throw usageError('usage', `${name} is not a fault.`, {
        why: `Faults: latency, ${FAULTS.join(', ')}.`,
        hint: 'For example: latency=200,rate-limit=0.1',
      });
  }
  for (const names of [REQUEST_FAULTS, WEBHOOK_FAULTS]) {
    const sum = (names as readonly string[]).reduce((whole, name) => whole + (rates[name] ?? 0), 0);
    // Decimal fractions do not add up exactly.
    if (sum > 1.000_001)
      throw usageError('usage', 'the fault rates add up to more than 1.', {why: `They add up to ${sum}.`});
  }
  return {...(latency !== undefined && {latency}), rates};
}

function numberOf(part: string, text: string, most: number, unit: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= most) return number;
  throw usageError('usage', `${part} is not a valid fault.`, {why: `Give a number from 0 to ${most}: ${unit}.`});
}

/** Each call of the returned function gives the fault of the next request, if any. */
export const faultSequence = (faults: Faults, seed: number): (() => RequestFault | undefined) =>
  sequence(REQUEST_FAULTS, faults, seed);

export const webhookFaultSequence = (faults: Faults, seed: number): (() => WebhookFault | undefined) =>
  sequence(WEBHOOK_FAULTS, faults, seed);

function sequence<Name extends RequestFault | WebhookFault>(
  names: readonly Name[],
  {rates = {}}: Faults,
  seed: number,
): () => Name | undefined {
  const chance = seededRandom(seed);
  return () => {
    let left = chance();
    for (const name of names) {
      left -= rates[name] ?? 0;
      if (left < 0) return name;
    }
    return undefined;
  };
}
