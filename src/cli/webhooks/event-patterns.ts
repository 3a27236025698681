// Checks patterns for events, such as those of --events: each must match something.

import {EVENT_TYPES} from '../../api/events.js';
import {matchesPattern} from '../../input/event-filter.js';
import {checkEventName, KINDS, shownEvent, unknownEvent} from './event-names.js';
import {nearest} from '../line/parse-errors.js';

/**
 * Comma-separated patterns, with `!` before those to leave out: each must match something.
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
      throw unknownEvent(
        `${shownEvent(pattern, flag)} matches no known event.`,
        guess ? `Did you mean ${guess}? If it is for new events, add --unknown-events.` : KINDS,
      );
    }
  }
  return unknown;
}
