// Checks event names: an event with a misspelled name would never arrive.

import {EVENT_TYPES} from '../../api/events.js';
import {usageError, type CentavoError} from '../../ground/errors.js';
import {matchesPattern} from '../../input/event-filter.js';
import {quote} from '../../input/money.js';
import {nearest} from '../../input/nearest.js';

/** The edit distance of a misspelled name. Known names differ from each other by more. */
const MISSPELLED = 2;
const EVENT_NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
export const KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

/** `--events "billing_statement.piad"`; without the flag for an argument. */
export const shownEvent = (name: string, flag?: string): string =>
  `${flag === undefined ? '' : `${flag} `}${quote(name)}`;

export const unknownEvent = (what: string, hint: string): CentavoError =>
  usageError(what, {code: 'unknown_event', hint});

/**
 * Refuses text that is no name, and misspelled known names. The service may have events that centavo does not know, so
 * other names are accepted.
 * @param options `otherwise`: what to do if the name is new and only looks misspelled
 * @returns the name if it is not known
 */
export function checkEventName(
  name: string,
  {flag, otherwise}: {readonly flag?: string; readonly otherwise: (name: string) => string},
): string | undefined {
  if (isKnownEvent(name)) return undefined;
  const what = `${shownEvent(name, flag)} is not a known event.`;
  const guess = nearest(name.toLowerCase(), EVENT_TYPES, MISSPELLED);
  if (guess) throw unknownEvent(what, `Did you mean ${guess}? ${EVENT_NAME.test(name) ? otherwise(name) : ''}`.trim());
  if (EVENT_NAME.test(name)) return name;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matchesPattern(name, type)) : [];
  if (meant.length === 0) throw unknownEvent(what, KINDS);
  throw unknownEvent(`${shownEvent(name, flag)} is a pattern. Use full event names.`, `Names: ${meant.join(',')}`);
}

export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not an event that centavo knows. You receive it only if the service sends it.`;
