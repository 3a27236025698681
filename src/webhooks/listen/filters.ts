// Which events are meant by a pattern, and which go where.

import {usageError} from '../../errors.js';
import {parseTarget, type TargetOptions} from '../forward/targets.js';

/** Whether an event of this type is meant; an event may not tell its type. */
export type EventFilter = (type: string | undefined) => boolean;

/** A place to forward to, and what goes there. */
export interface ForwardTarget {
  readonly url: URL;
  readonly accepts: EventFilter;
}

export const everyEvent: EventFilter = () => true;

const PATTERN = /^[A-Za-z0-9_.*-]{1,200}$/;

/**
 * Patterns with commas between: `*` stands for any characters, `!` before one takes away. What is only taken away from, is everything.
 * Types that are not known are allowed: the service has some that it does not document.
 * @throws CentavoError kind `usage` for what is no pattern
 */
export function parseEventFilter(text: string): EventFilter {
  const patterns = text.split(',').map((part) => part.trim());
  const wanted: RegExp[] = [];
  const unwanted: RegExp[] = [];
  for (const pattern of patterns) {
    const name = pattern.replace(/^!/, '');
    if (!PATTERN.test(name)) {
      throw usageError(`${JSON.stringify(pattern)} is not a pattern of event types.`, {
        code: 'invalid_event_pattern',
        hint: "For example: --events 'billing_statement.*,!billing_statement.created'",
      });
    }
    (pattern.startsWith('!') ? unwanted : wanted).push(expressionOf(name));
  }
  return (type = '') =>
    (wanted.length === 0 || wanted.some((one) => one.test(type))) && !unwanted.some((one) => one.test(type));
}

const expressionOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.-]/g, '\\$&').replace(/\*+/g, '.*')}$`, 's');

/**
 * `payment_intent.*=3001/pay`: what goes where.
 * @throws CentavoError as {@link parseEventFilter} and {@link parseTarget} do
 */
export function parseRoute(text: string, options?: TargetOptions): ForwardTarget {
  const at = text.indexOf('=');
  if (at < 1) {
    throw usageError(`${JSON.stringify(text)} is not a route.`, {
      code: 'invalid_route',
      why: 'It has no pattern of event types before an equals sign.',
      hint: "For example: --route 'payment_intent.*=3001/pay'",
    });
  }
  return {accepts: parseEventFilter(text.slice(0, at)), url: parseTarget(text.slice(at + 1), options)};
}

/** The same targets, so that each event goes to the first that accepts it, and to no other. */
export const firstMatchWins = (targets: readonly ForwardTarget[]): ForwardTarget[] =>
  targets.map(({url, accepts}, index) => ({
    url,
    accepts: (type) => accepts(type) && !targets.slice(0, index).some((earlier) => earlier.accepts(type)),
  }));
