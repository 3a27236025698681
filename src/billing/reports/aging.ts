// Adds up open statements by customer, and by the number of Manila days that each statement is overdue.

import {exactSum} from '../../accounting/movements.js';
import {isOwed, type Standing} from '../../accounting/standing.js';
import {
  statementCustomerOf,
  statementNumberOf,
  type StatementCustomer,
  type StatementLike,
} from '../../api/statement.js';

/** Buckets of overdue amounts. `current` is not yet due, due today, or without a due date. */
export const BUCKETS = ['current', 'days_1_30', 'days_31_60', 'days_61_90', 'days_over_90'] as const;
export type AgingBucket = (typeof BUCKETS)[number];

/** The largest number of days overdue in each bucket. */
const LAST_DAY: Readonly<Record<AgingBucket, number>> = {
  current: 0,
  days_1_30: 30,
  days_31_60: 60,
  days_61_90: 90,
  days_over_90: Infinity,
};

/** @param days since the due day; undefined without a due date */
export const bucketOf = (days: number | undefined): AgingBucket =>
  BUCKETS.find((bucket) => (days ?? 0) <= LAST_DAY[bucket])!;

/** Amounts owed by one customer, or by all customers, in centavos. */
export interface AmountOwed extends Record<AgingBucket, number> {
  readonly owed: number;
  /** The part of `owed` that is past its due day. */
  readonly overdue: number;
  readonly statements: number;
}

export interface CustomerReceivable extends AmountOwed {
  readonly customer_id: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** The earliest due date of an open statement, overdue or not, in unix seconds. */
  readonly oldest_due_at: number | null;
  /** Whole Manila days since the earliest due day; 0 if nothing is overdue. */
  readonly days_overdue: number;
}

export interface OpenStatement {
  readonly id: string;
  readonly number: string | undefined;
  /** Unix seconds. */
  readonly dueAt: number | undefined;
  readonly isOverdue: boolean;
}

type Mutable<T> = {-readonly [K in keyof T]: T[K]};

type Counts = Record<AgingBucket, number>;

const noCounts = (): Counts => ({current: 0, days_1_30: 0, days_31_60: 0, days_61_90: 0, days_over_90: 0});
const NOTHING_OWED: AmountOwed = {owed: 0, overdue: 0, statements: 0, ...noCounts()};

/** Adds up statements, with one entry per customer. */
export class Aging {
  readonly #entries = new Map<string, {readonly row: Mutable<CustomerReceivable>; readonly counts: Counts}>();
  readonly #open = new Map<CustomerReceivable, OpenStatement[]>();
  /** Open statements without an amount from the API; excluded from all totals. */
  readonly unknown: StatementLike[] = [];

  /** @param standing what happened to the statement's money, at the time of the report */
  add(statement: StatementLike, standing: Standing): void {
    const {balance, daysOverdue: days, dueAt: due} = standing;
    if (!isOwed(standing)) return;
    if (balance === null) {
      this.unknown.push(statement);
      return;
    }
    const {row, counts} = this.#entryOf(statementCustomerOf(statement));
    const bucket = bucketOf(days);
    row.owed = exactSum([row.owed, balance]);
    row[bucket] = exactSum([row[bucket], balance]);
    if (bucket !== 'current') row.overdue = exactSum([row.overdue, balance]);
    row.statements++;
    row.days_overdue = Math.max(row.days_overdue, days ?? 0);
    if (due !== undefined) row.oldest_due_at = Math.min(row.oldest_due_at ?? due, due);
    counts[bucket]++;
    const open = {
      id: String(statement.id),
      number: statementNumberOf(statement),
      dueAt: due,
      isOverdue: bucket !== 'current',
    };
    const others = this.#open.get(row);
    if (others) others.push(open);
    else this.#open.set(row, [open]);
  }

  #entryOf({id, name, email}: StatementCustomer) {
    // Statements without a customer id share a row by name and email address.
    const key = id ?? `${name ?? ''} ${email ?? ''}`;
    const unnamed = {customer_id: id ?? null, name: null, email: null};
    const found = this.#entries.get(key) ?? {
      row: {...unnamed, ...NOTHING_OWED, oldest_due_at: null, days_overdue: 0} as Mutable<CustomerReceivable>,
      counts: noCounts(),
    };
    this.#entries.set(key, found);
    found.row.name ??= name ?? null;
    found.row.email ??= email ?? null;
    return found;
  }

  /** Ids of the customers whose name is still unknown. */
  get unnamed(): string[] {
    return [...this.#entries.values()].flatMap(({row}) => (row.name === null ? (row.customer_id ?? []) : []));
  }

  setName({id, name, email}: StatementCustomer): void {
    if (id !== undefined && this.#entries.has(id)) this.#entryOf({id, name, email});
  }

  /** Returns customers with the largest overdue amount first, then the largest debt. @param days minimum days overdue */
  customers(days = 0): CustomerReceivable[] {
    const label = ({name, email, customer_id: id}: CustomerReceivable): string => name ?? email ?? id ?? '';
    return [...this.#entries.values()]
      .map(({row}) => row)
      .filter((row) => row.days_overdue >= days)
      .sort((a, b) => b.overdue - a.overdue || b.owed - a.owed || (label(a) < label(b) ? -1 : 1));
  }

  openStatementsOf(customer: CustomerReceivable): OpenStatement[] {
    return (this.#open.get(customer) ?? []).sort((a, b) => (a.dueAt ?? Infinity) - (b.dueAt ?? Infinity));
  }

  /** The number of open statements of these customers in each bucket. */
  countsOf(customers: readonly CustomerReceivable[]): Counts {
    const total = noCounts();
    const wanted = new Set(customers);
    for (const {row, counts} of this.#entries.values())
      if (wanted.has(row)) for (const bucket of BUCKETS) total[bucket] += counts[bucket];
    return total;
  }
}

export function totalReceivable(customers: readonly CustomerReceivable[]): AmountOwed {
  const total: Mutable<AmountOwed> = {...NOTHING_OWED};
  for (const customer of customers)
    for (const part of Object.keys(NOTHING_OWED) as (keyof AmountOwed)[])
      total[part] = exactSum([total[part], customer[part]]);
  return total;
}
