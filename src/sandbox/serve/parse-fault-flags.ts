// Parses the --faults flag. A separate file from fault injection, because only a server parses the flag.

import {usageError} from '../../common/errors.js';
import {
  faultSequence,
  type InjectedFaults,
  REQUEST_FAULTS,
  WEBHOOK_FAULTS,
  webhookFaultSequence,
} from './fault-injection.js';

export const FAULTS = [...REQUEST_FAULTS, ...WEBHOOK_FAULTS];

/** Milliseconds; longer than centavo's client waits. */
const MAX_LATENCY = 60_000;

export function parseFaults(text: string): InjectedFaults {
  const rates: Record<string, number> = {};
  let latency: number | undefined;
  for (const part of text
    .trim()
    .split(/\s*,\s*/)
    .filter(Boolean)) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    if (name === 'latency') latency = faultNumberOf(part, value, MAX_LATENCY, 'milliseconds');
    else if ((FAULTS as string[]).includes(name))
      rates[name] = faultNumberOf(part, value, 1, 'the rate, where 1 means always');
    else
      throw usageError('usage', `${name} is not a fault.`, {
        why: `Faults: latency, ${FAULTS.join(', ')}.`,
        hint: 'For example: latency=200,rate-limit=0.1',
      });
  }
  for (const check of [faultSequence, webhookFaultSequence]) check({rates}, 1);
  return {...(latency !== undefined && {latency}), rates};
}

function faultNumberOf(part: string, text: string, max: number, unit: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= max) return number;
  throw usageError('usage', `${part} is not a valid fault.`, {why: `Give a number from 0 to ${max}: ${unit}.`});
}
