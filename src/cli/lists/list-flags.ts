// The flags of lists: a limit, and filters for the fields of the objects.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {pathIds, type Operation} from '../../api/operation.js';
import type {MoneyState} from '../../accounting/standing.js';
import {Flags, OPTIONAL_TIME} from '../oclif.js';

export interface FilterFlags {
  readonly customer?: string;
  readonly 'due-before'?: string;
  readonly overdue?: string;
  readonly 'paid-since'?: string;
  readonly 'paid-until'?: string;
  readonly since?: string;
  readonly status?: string;
  readonly until?: string;
}

export interface ListFlags extends FilterFlags {
  readonly all?: boolean;
  readonly limit?: string;
}

/** States of money that the service has no status for. */
const MONEY_STATES: readonly MoneyState[] = ['overdue', 'held', 'settled', 'replaced', 'partly_refunded', 'refunded'];
const MONEY_SUMMARY =
  'Only statements with this status of the service, or this state of the money: void includes settled and replaced. Filtered by centavo, page by page.';

export function listFlags({path, returns: {shape}}: Operation) {
  const has = (field: string): boolean => Object.hasOwn(shape.fields, field);
  const statuses = shape.fields.status?.choices;
  return {
    limit: Flags.string({
      summary: `Maximum number to list. More than ${MAXIMUM_PAGE} takes several requests.`,
      helpValue: '<number>',
    }),
    all: Flags.boolean({summary: 'List everything, page by page.', exclusive: ['limit']}),
    ...(statuses && {
      status: Flags.string({
        summary: has('due_at') ? MONEY_SUMMARY : 'Only objects with this status. Filtered by centavo, page by page.',
        options: [...statuses, ...(has('due_at') ? MONEY_STATES : [])],
      }),
    }),
    ...(has('customer_id') &&
      pathIds(path).length === 0 && {
        customer: Flags.string({
          summary: 'Only objects of this customer: email address, name, part of a name, or id.',
          helpValue: '<cus_…>',
        }),
      }),
    ...(has('due_at') && {
      overdue: Flags.string({
        summary: 'Only overdue statements; with a duration, overdue at least that long: 7d.',
        helpValue: OPTIONAL_TIME,
      }),
      'due-before': Flags.string({summary: 'Due before this day: 2026-12-15, +7d.', helpValue: '<date>'}),
    }),
    since: Flags.string({
      summary: 'Only objects created on this day or later: 2026-12-01; 30d for the last 30 days.',
      helpValue: '<date>',
    }),
    until: Flags.string({summary: 'Only objects created on this day or earlier.', helpValue: '<date>'}),
    // Only billing statements are both paid and listed.
    ...(has('finalized_at') && {
      'paid-since': Flags.string({
        summary:
          'Only statements paid or settled on this day or later, with date and method. Takes one request per statement not read before.',
        helpValue: '<date>',
      }),
      'paid-until': Flags.string({
        summary: 'Only statements paid or settled on this day or earlier.',
        helpValue: '<date>',
      }),
    }),
  };
}

const FILTERS = ['customer', 'due-before', 'overdue', 'paid-since', 'paid-until', 'since', 'status', 'until'] as const;

export const isFiltered = (flags: FilterFlags): boolean => FILTERS.some((name) => flags[name] !== undefined);
