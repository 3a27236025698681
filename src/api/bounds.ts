// The bounds of a field in words, for what the service would refuse after the first change was sent.

import {formatPesos} from '../common/pesos.js';
import type {Field} from './fields.js';

/** @returns `problem`: the rest of a sentence that starts with the value: `is below the minimum of ₱20.00.` */
export function boundsFault(
  {kind, min, max, maxLength, pattern, required}: Field,
  value: number | string,
): {readonly code: string; readonly problem: string} | undefined {
  const fault = (code: string, problem: string) => ({code, problem});
  if (typeof value === 'number') {
    const words = (bound: number) => (kind === 'centavos' ? formatPesos(bound) : String(bound));
    if (min !== undefined && value < min) return fault('below_minimum', `is below the minimum of ${words(min)}.`);
    if (max !== undefined && value > max) return fault('above_maximum', `is above the maximum of ${words(max)}.`);
    return undefined;
  }
  const {length} = [...value];
  if (maxLength !== undefined && length > maxLength)
    return fault('too_long', `is ${length} characters; the limit is ${maxLength}.`);
  if (required && value.trim() === '') return fault('empty', 'is empty.');
  return pattern && !pattern.test(value) ? fault('invalid_text', `does not match ${pattern.source}.`) : undefined;
}
