// Names of events as people type them: a misspelt one would never come, and nobody would say so.

import {EVENT_TYPES} from '../api/events.js';
import {usageError, type CentavoError} from '../errors.js';
import {quote} from '../input/money.js';
import {nearest} from './parse-errors.js';

/** How many letters a name may be away from a known one to count as misspelt; kinds of event differ by more. */
const MISSPELT = 2;
const NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

export const isKnownEvent = (name: string): boolean => (EVENT_TYPES as readonly string[]).includes(name);
const KINDS = `Kinds: ${EVENT_TYPES.join(', ')}`;

/** `--events "billing_statement.piad"`. @param flag none for an argument */
const shown = (name: string, flag?: string): string => `${flag === undefined ? '' : `${flag} `}${quote(name)}`;

const refusal = (what: string, hint: string): CentavoError => usageError(what, {code: 'unknown_event', hint});

interface Typed {
  /** Where it was typed; none for an argument. */
  readonly flag?: string;
  /** How a new kind is named that looks like a known one misspelt. */
  readonly otherwise: (name: string) => string;
}

/**
 * The name of one kind of event. The service has kinds that are not known here: a name that is like no other is let through.
 * @returns the name when it is not known
 * @throws CentavoError kind `usage` for what is no name, or a known one misspelt
 */
export function checkEventName(name: string, {flag, otherwise}: Typed): string | undefined {
  if (isKnownEvent(name)) return undefined;
  const what = `${shown(name, flag)} is not a known event.`;
  const guess = nearest(name.toLowerCase(), EVENT_TYPES, MISSPELT);
  if (guess) throw refusal(what, `Did you mean ${guess}? ${NAME.test(name) ? otherwise(name) : ''}`.trim());
  if (NAME.test(name)) return name;
  const meant = name.includes('*') ? EVENT_TYPES.filter((type) => matches(name, type)) : [];
  if (meant.length === 0) throw refusal(what, KINDS);
  throw refusal(`${shown(name, flag)} is a pattern; the service takes only names.`, `Names: ${meant.join(',')}`);
}

/**
 * Patterns with commas between, `!` before those that are taken away: each must mean something.
 * @returns the names that are not known
 * @throws CentavoError kind `usage` as {@link checkEventName} does, and for a pattern that matches no known kind
 */
export function checkEventPatterns(text: string, flag: string): string[] {
  const unknown: string[] = [];
  for (const pattern of text.split(',').map((part) => part.trim().replace(/^!/, ''))) {
    if (!pattern.includes('*')) {
      const name = checkEventName(pattern, {flag, otherwise: () => 'If it is a new event, add --unknown-events.'});
      if (name) unknown.push(name);
    } else if (!EVENT_TYPES.some((type) => matches(pattern, type))) {
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

const matches = (pattern: string, type: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[^\w]/g, '\\$&'))
      .join('.*')}$`,
  ).test(type);

/** What is said of a name that is let through. */
export const unknownEventNote = (name: string): string =>
  `${quote(name)} is not an event that centavo knows. It arrives only if the service sends it.`;
