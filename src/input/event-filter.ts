// Typed patterns that choose events by type.

import {InvalidInput} from './invalid-input.js';

/** True if an event of this type is wanted. Unreadable events have no type. */
export type EventFilter = (type: string | undefined) => boolean;

export const everyEvent: EventFilter = () => true;

const PATTERN = /^[A-Za-z0-9_.*-]{1,200}$/;

/** True if an event type matches a pattern. `*` stands for any characters. */
export const matchesPattern = (pattern: string, type: string): boolean => expressionOf(pattern).test(type);

const expressionOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[^\w*]/g, '\\$&').replace(/\*+/g, '.*')}$`, 's');

/** Reads comma-separated patterns; `!` excludes. Unknown types are valid: the service sends undocumented types. */
export function readEventFilter(text: string): EventFilter | InvalidInput {
  const included: RegExp[] = [];
  const excluded: RegExp[] = [];
  for (const pattern of text.split(',').map((part) => part.trim())) {
    const name = pattern.replace(/^!/, '');
    if (!PATTERN.test(name))
      return new InvalidInput(`${JSON.stringify(pattern)} is not a valid event pattern.`, {
        code: 'invalid_event_pattern',
        hint: "For example: --events 'billing_statement.*,!billing_statement.created'",
      });
    (pattern.startsWith('!') ? excluded : included).push(expressionOf(name));
  }
  return (type = '') =>
    (included.length === 0 || included.some((regex) => regex.test(type))) &&
    !excluded.some((regex) => regex.test(type));
}
