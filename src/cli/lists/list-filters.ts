// Filters lists by fields that the API cannot filter by. Reading ends when no later page can match.

import {isReceived, type Standing} from '../../accounting/standing.js';
import {statementCustomerOf, unixTimeOf as knownTime} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {usageError} from '../../common/errors.js';
import {DAY, endOfManilaDay} from '../../common/manila.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {readDuration, readWholeDays} from '../../input/quantities.js';
import {needsLookup, readReference, type Reference} from '../references/references.js';
import type {FilterFlags} from './list-flags.js';

type ListedObject = Readonly<Record<string, unknown>>;

export interface ListFilter {
  /** @param standing what happened to a statement's money */
  readonly keeps: (item: ListedObject, standing?: Standing) => boolean;
  /** True if no later page can match. @param backwards true if later pages are newer */
  readonly ends: (page: readonly ListedObject[], backwards: boolean) => boolean;
  /** Period in which a statement must be paid or settled. Unix seconds. */
  readonly paid?: {readonly since?: number; readonly until?: number};
}

/** A validated filter whose customer is not looked up yet. */
export interface ParsedListFilter {
  readonly customer?: Reference;
  readonly forCustomer: (customerId: string | undefined) => ListFilter;
}

/** Reads a period of Manila days or exact times, in unix seconds. @param names its two flags, for errors */
export function readPeriod(
  {since, until}: {readonly since?: string; readonly until?: string},
  names: readonly [since: string, until: string],
  now: number,
): {readonly since?: number; readonly until?: number} {
  const from = since === undefined ? undefined : startOfPeriod(since, names[0], now);
  const to = until === undefined ? undefined : endOfPeriod(until, names[1], now);
  if (from !== undefined && to !== undefined && from > to)
    throw usageError('invalid_date', `${names[0]} ${since} is after ${names[1]} ${until}.`);
  return {since: from, until: to};
}

export function readFilter(flags: FilterFlags, now: number): ParsedListFilter {
  const {status} = flags;
  const overdue = flags.overdue === undefined ? undefined : valueOrThrow(readWholeDays(flags.overdue), '--overdue');
  const {since, until} = readPeriod(flags, ['--since', '--until'], now);
  const given = {since: flags['paid-since'], until: flags['paid-until']};
  const paid = readPeriod(given, ['--paid-since', '--paid-until'], now);
  const isByPayment = given.since !== undefined || given.until !== undefined;
  const dueBefore =
    flags['due-before'] === undefined ? undefined : startOfPeriod(flags['due-before'], '--due-before', now);
  const customer = flags.customer === undefined ? undefined : valueOrThrow(readReference(flags.customer, 'cus_'));
  const isOlder = (item: ListedObject): boolean => since !== undefined && createdAtOf(item) < since;
  const isNewer = (item: ListedObject): boolean => until !== undefined && createdAtOf(item) > until;
  return {
    customer,
    forCustomer: (customerId) => ({
      ...(isByPayment && {paid}),
      keeps: (item, standing) =>
        !isOlder(item) &&
        !isNewer(item) &&
        (status === undefined || item.status === status || standing?.state === status) &&
        (overdue === undefined || (standing?.state === 'overdue' && standing.daysOverdue! >= overdue)) &&
        (!isByPayment || (standing !== undefined && mayBePaid(item, standing, paid.since))) &&
        (dueBefore === undefined || (standing?.dueAt ?? Infinity) < dueBefore) &&
        (customerId === undefined || statementCustomerOf(item).id === customerId),
      // True only if the page is sorted newest first, as the API's lists are.
      ends: (page, backwards) => {
        const last = backwards ? page[0] : page.at(-1);
        const isPast = last !== undefined && (backwards ? isNewer : isOlder)(last);
        return isPast && page.every((item, at) => at === 0 || createdAtOf(page[at - 1]!) >= createdAtOf(item));
      },
    }),
  };
}

/** A payment updates its statement, so an earlier update rules out a later payment. Cash may come after the update. */
const mayBePaid = ({updated_at: updated}: ListedObject, standing: Standing, since = -Infinity): boolean =>
  isReceived(standing) && (standing.state === 'settled' || !((knownTime(updated) ?? Infinity) < since));

export async function resolveFilter(context: Context, {customer, forCustomer}: ParsedListFilter): Promise<ListFilter> {
  if (customer === undefined || !needsLookup([customer])) return forCustomer(customer?.text);
  const {resolveReferences} = await import('../references/resolve-reference.js');
  const [id] = await resolveReferences(context, 'cus_', [customer], {
    changes: false,
    withDeleted: true,
  });
  return forCustomer(id);
}

const createdAtOf = ({created_at: at}: ListedObject): number => (typeof at === 'number' ? at : NaN);

/** A time of day or unix seconds, not a whole day. */
const EXACT = /^@?\d{9,}$|\d[Tt ]\d\d:/;
const AGO = /^\d{1,7}[smhdw]$/;

/** Returns the start of a Manila day, or an exact time, in unix seconds. */
export function startOfPeriod(text: string, name: string, now: number): number {
  const end = endOfPeriod(text, name, now);
  return isDay(text) ? end - DAY + 1 : end;
}

/** Returns the end of a Manila day, or an exact time, in unix seconds. */
function endOfPeriod(text: string, name: string, now: number): number {
  const typed = text.trim();
  if (!AGO.test(typed)) return valueOrThrow(readDate(typed, now, name === '--due-before' ? 'nearest' : 'past'), name);
  const at = now - valueOrThrow(readDuration(typed), name);
  return isDay(typed) ? endOfManilaDay(at) : at;
}

const isDay = (text: string): boolean => !EXACT.test(text.trim()) && !/^\+?\d+[smh]$/.test(text.trim());
