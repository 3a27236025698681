// Checks event names: an event with a misspelled name would never arrive.

import {EVENT_TYPES} from '../../api/events.js';
import {matchesPattern} from '../../input/event-filter.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {nearestWord} from '../../input/nearest.js';

/** Maximum edit distance of a misspelled name. Known names differ from each other by more. */
const MAX_TYPO_DISTANCE = 2;
const EVENT_NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
export const EVENT_KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

export const unknownEvent = (problem: string, hint: string): InvalidInput =>
  new InvalidInput(problem, {code: 'unknown_event', hint});

/**
 * Returns the error for a misspelled event name, or for text that cannot be an event name.
 * Accepts other unknown names, because the API may have events that centavo does not know.
 * @param hintIfNew the hint for a new name that only looks misspelled
 */
export function eventNameError(name: string, hintIfNew: (name: string) => string = () => ''): InvalidInput | undefined {
  if (isKnownEvent(name)) return undefined;
  const problem = `${quote(name)} is not a known event.`;
  const guess = nearestWord(name.toLowerCase(), EVENT_TYPES, MAX_TYPO_DISTANCE);
  if (guess)
    return unknownEvent(problem, `Did you mean ${guess}? ${EVENT_NAME.test(name) ? hintIfNew(name) : ''}`.trim());
  if (EVENT_NAME.test(name)) return undefined;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matchesPattern(name, type)) : [];
  return meant.length === 0
    ? unknownEvent(problem, EVENT_KINDS)
    : unknownEvent(`${quote(name)} is a pattern. Use full event names.`, `Names: ${meant.join(',')}`);
}

export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not a known event. You will receive it only if the API sends it.`;
