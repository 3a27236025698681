// Names of events, as people type them. A misspelt one would never come, and nothing would say so.

import {EVENT_TYPES} from '../api/events.js';
import {usageError, type CentavoError} from '../errors.js';
import {matchesPattern} from '../input/event-filter.js';
import {quote} from '../input/money.js';
import {nearest} from './parse-errors.js';

/** A name that differs from a known one in at most so many letters counts as misspelt. Known kinds differ by more. */
const MISSPELT = 2;
const NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
const KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

/** `--events "billing_statement.piad"`. @param flag undefined for an argument */
const shown = (name: string, flag?: string): string => `${flag === undefined ? '' : `${flag} `}${quote(name)}`;

const refusal = (what: string, hint: string): CentavoError => usageError(what, {code: 'unknown_event', hint});

interface Typed {
  /** The flag that it was typed with; undefined for an argument. */
  readonly flag?: string;
  /** How to name a new kind that looks like a misspelt one. */
  readonly otherwise: (name: string) => string;
}

/**
 * Checks the name of one kind of event. The service has kinds that are not known here, so a name that resembles no other is allowed.
 * @returns the name when it is not known
 * @throws CentavoError kind `usage` for text that is not a name, and for a misspelt name
 */
export function checkEventName(name: string, {flag, otherwise}: Typed): string | undefined {
  if (isKnownEvent(name)) return undefined;
  const what = `${shown(name, flag)} is not a known event.`;
  const guess = nearest(name.toLowerCase(), EVENT_TYPES, MISSPELT);
  if (guess) throw refusal(what, `Did you mean ${guess}? ${NAME.test(name) ? otherwise(name) : ''}`.trim());
  if (NAME.test(name)) return name;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matchesPattern(name, type)) : [];
  if (meant.length === 0) throw refusal(what, KINDS);
  throw refusal(`${shown(name, flag)} is a pattern; the service takes only names.`, `Names: ${meant.join(',')}`);
}

/**
 * Checks patterns with commas between them, `!` before those that exclude: each must match something.
 * @returns the names that are not known
 * @throws CentavoError kind `usage` as {@link checkEventName} does, and for a pattern that matches no known kind
 */
export function checkEventPatterns(text: string, flag: string): string[] {
  const unknown: string[] = [];
  for (const pattern of text.split(',').map((part) => part.trim().replace(/^!/, ''))) {
    if (!pattern.includes('*')) {
      const name = checkEventName(pattern, {flag, otherwise: () => 'If it is a new event, add --unknown-events.'});
      if (name) unknown.push(name);
    } else if (!EVENT_TYPES.some((type) => matchesPattern(pattern, type))) {
      const whole = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*')))];
      const guess = whole.find((one) => one.startsWith(pattern.replace(/\..*/, ''))) ?? nearest(pattern, whole);
      throw refusal(
        `${shown(pattern, flag)} matches no known event.`,
        guess ? `Did you mean ${guess}? If it is for new events, add --unknown-events.` : KINDS,
      );
    }
  }
  return unknown;
}

/** The note about a name that is allowed though it is not known. */
export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not an event that centavo knows. It arrives only if the service sends it.`;
