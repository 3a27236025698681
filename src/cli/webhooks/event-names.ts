// Checks the names of events that people type: a misspelt event would never arrive.

import {EVENT_TYPES} from '../../api/events.js';
import {usageError, type CentavoError} from '../../errors.js';
import {matchesPattern} from '../../input/event-filter.js';
import {quote} from '../../input/money.js';
import {nearest} from '../line/parse-errors.js';

/** A name within this edit distance of a known one counts as misspelt. Known names differ from each other by more. */
const MISSPELT = 2;
const EVENT_NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
export const KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

/** `--events "billing_statement.piad"`. @param flag none for an argument */
export const shownEvent = (name: string, flag?: string): string =>
  `${flag === undefined ? '' : `${flag} `}${quote(name)}`;

export const unknownEvent = (what: string, hint: string): CentavoError =>
  usageError(what, {code: 'unknown_event', hint});

interface Typed {
  /** Where it was typed; none for an argument. */
  readonly flag?: string;
  /** What to do if the name is new and only looks misspelt. */
  readonly otherwise: (name: string) => string;
}

/**
 * Checks the name of an event. The service may have events that centavo does not know, so a name that resembles no known one is accepted.
 * @returns the name when it is not known
 * @throws CentavoError kind `usage` for what is no name, or a known one misspelt
 */
export function checkEventName(name: string, {flag, otherwise}: Typed): string | undefined {
  if (isKnownEvent(name)) return undefined;
  const what = `${shownEvent(name, flag)} is not a known event.`;
  const guess = nearest(name.toLowerCase(), EVENT_TYPES, MISSPELT);
  if (guess) throw unknownEvent(what, `Did you mean ${guess}? ${EVENT_NAME.test(name) ? otherwise(name) : ''}`.trim());
  if (EVENT_NAME.test(name)) return name;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matchesPattern(name, type)) : [];
  if (meant.length === 0) throw unknownEvent(what, KINDS);
  throw unknownEvent(`${shownEvent(name, flag)} is a pattern. Use full event names.`, `Names: ${meant.join(',')}`);
}

/** The note about an unknown name that was accepted. */
export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not an event that centavo knows. You receive it only if the service sends it.`;
