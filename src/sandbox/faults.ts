// Faults on request: a sandbox that is slow, refuses, breaks off or loses its answer, the same way each time for the same seed.

import {usageError} from '../errors.js';
import {chanceFrom} from './chance.js';

/** What goes wrong with one request. Those named `-before` leave nothing done; those named `-after` did what was asked. */
export type Fault = 'error-after' | 'rate-limit' | 'reset-after' | 'reset-before' | 'unavailable';

export interface Faults {
  /** How long each answer takes, in milliseconds. */
  readonly latency?: number;
  /** How often each fault happens, from 0 (never) to 1 (always); together at most 1. */
  readonly rates?: Readonly<Partial<Record<Fault, number>>>;
}

const DESCRIPTIONS: Readonly<Record<Fault, string>> = {
  'rate-limit': '429 with Retry-After, nothing done',
  unavailable: '503, nothing done',
  'reset-before': 'the connection breaks off, nothing done',
  'reset-after': 'the connection breaks off after the change is made',
  'error-after': '500 after the change is made',
};

/** The faults there are, with what each does. */
export const FAULTS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({name: name as Fault, description}));

/** A minute: longer than any client of ours waits. */
const LONGEST_LATENCY = 60_000;

/**
 * Reads `latency=200,rate-limit=0.1,reset-after=0.02`.
 * @throws CentavoError kind `usage` for an unknown name or a number out of bounds
 */
export function parseFaults(text: string): Faults {
  const rates: Partial<Record<Fault, number>> = {};
  let latency: number | undefined;
  for (const part of text
    .split(',')
    .map((piece) => piece.trim())
    .filter(Boolean)) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (name === 'latency') latency = numberOf(part, value, LONGEST_LATENCY, 'milliseconds');
    else if (Object.hasOwn(DESCRIPTIONS, name))
      rates[name as Fault] = numberOf(part, value, 1, 'how often, 1 being always');
    else
      throw usageError(`${name} is not a fault.`, {
        why: `Known are latency, ${Object.keys(DESCRIPTIONS).join(', ')}.`,
        hint: 'For example: latency=200,rate-limit=0.1',
      });
  }
  const sum = Object.values(rates).reduce((whole, rate) => whole + rate, 0);
  // A little more than 1, as tenths do not add up exactly.
  if (sum > 1.000_001)
    throw usageError('the faults together happen more often than always.', {why: `Their rates add up to ${sum}.`});
  return {...(latency !== undefined && {latency}), rates};
}

function numberOf(part: string, text: string, most: number, unit: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= most) return number;
  throw usageError(`${part} is not understood.`, {why: `It needs a number from 0 to ${most}: ${unit}.`});
}

/** Says for one request after another what goes wrong with it, if anything. */
export function faultSequence({rates = {}}: Faults, seed: number): () => Fault | undefined {
  const chance = chanceFrom(seed);
  return () => {
    let left = chance();
    for (const {name} of FAULTS) {
      left -= rates[name] ?? 0;
      if (left < 0) return name;
    }
    return undefined;
  };
}
