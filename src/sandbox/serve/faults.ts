// Simulated faults of requests and of webhook deliveries. The same seed gives the same sequence of faults.

import {usageError} from '../../ground/errors.js';
import {seededRandom} from '../../ground/random.js';

/** What goes wrong with one request. With `-before` nothing is done; with `-after` the change is made. */
export type RequestFault = 'error-after' | 'rate-limit' | 'reset-after' | 'reset-before' | 'unavailable';

export type WebhookFault = 'duplicate-webhook' | 'late-webhook' | 'out-of-order-webhook';

type Rates<Name extends string> = Readonly<Partial<Record<Name, number>>>;

export interface Faults {
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** From 0 (never) to 1 (always). The rates of request faults sum to at most 1, as do those of webhook faults. */
  readonly rates?: Rates<RequestFault | WebhookFault>;
}

const REQUEST_FAULTS: Readonly<Record<RequestFault, string>> = {
  'rate-limit': '429 with Retry-After, nothing done',
  unavailable: '503, nothing done',
  'reset-before': 'the connection is closed, nothing done',
  'reset-after': 'the connection is closed after the change is made',
  'error-after': '500 after the change is made',
};

const WEBHOOK_FAULTS: Readonly<Record<WebhookFault, string>> = {
  'duplicate-webhook': 'an event is sent to a webhook twice',
  'late-webhook': 'an event is sent to a webhook half a minute late',
  'out-of-order-webhook': 'an event is sent to a webhook after the one that follows it',
};

const DESCRIPTIONS = {...REQUEST_FAULTS, ...WEBHOOK_FAULTS};

export const FAULTS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({
  name: name as RequestFault | WebhookFault,
  description,
}));

/** Milliseconds; longer than any client of ours waits. */
const LONGEST_LATENCY = 60_000;

export function parseFaults(text: string): Faults {
  const rates: Partial<Record<RequestFault | WebhookFault, number>> = {};
  let latency: number | undefined;
  for (const part of text
    .split(',')
    .map((piece) => piece.trim())
    .filter(Boolean)) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (name === 'latency') latency = numberOf(part, value, LONGEST_LATENCY, 'milliseconds');
    else if (Object.hasOwn(DESCRIPTIONS, name))
      rates[name as RequestFault | WebhookFault] = numberOf(part, value, 1, 'the rate, where 1 means always');
    else
      throw usageError('usage', `${name} is not a fault.`, {
        why: `Faults: latency, ${Object.keys(DESCRIPTIONS).join(', ')}.`,
        hint: 'For example: latency=200,rate-limit=0.1',
      });
  }
  for (const names of [namesOf(REQUEST_FAULTS), namesOf(WEBHOOK_FAULTS)]) {
    const sum = (names as readonly (keyof typeof rates)[]).reduce((whole, name) => whole + (rates[name] ?? 0), 0);
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

const namesOf = <Name extends string>(group: Readonly<Record<Name, string>>) => Object.keys(group) as Name[];

/** Each call of the returned function gives the fault of the next request, if any. */
export const faultSequence = (faults: Faults, seed: number): (() => RequestFault | undefined) =>
  sequence(namesOf(REQUEST_FAULTS), faults, seed);

export const webhookFaultSequence = (faults: Faults, seed: number): (() => WebhookFault | undefined) =>
  sequence(namesOf(WEBHOOK_FAULTS), faults, seed);

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
