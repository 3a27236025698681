// Faults by chance, for `sandbox serve --faults`. The same seed gives the same sequence.

import {usageError} from '../../common/errors.js';
import {seededRandom} from '../../common/seeded-random.js';

/** A `-before` fault changes nothing; an `-after` fault follows the change. */
export const FAULTS = ['rate-limit', 'unavailable', 'reset-before', 'reset-after', 'error-after'] as const;
export type Fault = (typeof FAULTS)[number];

export interface InjectedFaults {
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** From 0 (never) to 1 (always), and together at most 1. */
  readonly rates?: Readonly<Partial<Record<Fault, number>>>;
}

/** Milliseconds; longer than centavo's client waits. */
const MAX_LATENCY = 60_000;

/** Reads the flag: `latency=200,rate-limit=0.1`. @throws CentavoError kind `usage` */
export function parseFaults(text: string): InjectedFaults {
  const rates: Record<string, number> = {};
  let latency: number | undefined;
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter(Boolean)) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (name === 'latency') latency = faultNumberOf(part, value, MAX_LATENCY, 'milliseconds');
    else if ((FAULTS as readonly string[]).includes(name))
      rates[name] = faultNumberOf(part, value, 1, 'the rate, where 1 means always');
    else
      throw usageError('usage', `${name} is not a fault.`, {
        why: `Faults: latency, ${FAULTS.join(', ')}.`,
        hint: 'For example: latency=200,rate-limit=0.1',
      });
  }
  faultSequence({rates}, 1);
  return {...(latency !== undefined && {latency}), rates};
}

function faultNumberOf(part: string, text: string, max: number, unit: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= max) return number;
  throw usageError('usage', `${part} is not a valid fault.`, {why: `Give a number from 0 to ${max}: ${unit}.`});
}

/** Returns a function that gives the next request's fault, if any. @throws CentavoError for rates that are no chances */
export function faultSequence({rates = {}}: InjectedFaults, seed: number): () => Fault | undefined {
  const sum = FAULTS.reduce((total, name) => {
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
    for (const name of FAULTS) {
      roll -= rates[name] ?? 0;
      if (roll < 0) return name;
    }
    return undefined;
  };
}
