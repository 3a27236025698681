// Who a job bills: customers as the file names them, and what was found of them in the account.

import {createHash} from 'node:crypto';
import {isSamePerson} from '../../../input/names.js';
import type {Database, Value} from '../../../storage/sqlite.js';
import type {JobCustomer, Row} from './facts.js';

/** How many rows or customers are read at a time. */
export const AT_ONCE = 200;

/** A name that is not that of its customer, with the first line of the file that has it. */
export type OtherName = {readonly customer: JobCustomer; readonly name: string; readonly line: number};

export abstract class JobCustomers {
  protected constructor(protected readonly database: Database) {}

  abstract get id(): string;

  /** Where every row and customer is written; a job file that can no longer be written refuses. */
  protected write(sql: string, ...values: Value[]): void {
    this.database.prepare(sql).run(...values);
  }

  addCustomer(ref: string, values: {readonly email?: string; readonly name?: string; readonly id?: string}): void {
    this.write(
      `INSERT INTO customer (ref, id, email, name) VALUES (?, ?, ?, ?)
       ON CONFLICT (ref) DO UPDATE SET name = coalesce(name, excluded.name)`,
      ...[ref, values.id ?? null, values.email ?? null, values.name ?? null],
    );
  }

  addName(ref: string, name: string, line: number): void {
    this.write('INSERT OR IGNORE INTO name (customer, name, line) VALUES (?, ?, ?)', ref, name, line);
  }

  /** Names in the file that are not those of the customers, once these are known; of two for a new one, the second. */
  *otherNames(): Generator<OtherName> {
    let after = ['', ''];
    for (;;) {
      // Not a query for each customer: what a query holds is freed only when the program waits for something.
      const some = this.database
        .prepare(
          `SELECT customer.*, name.name AS said, line FROM name JOIN customer ON ref = customer
           WHERE (customer, name.name) > (?, ?) AND name.name <> customer.name AND customer.name <> ''
           ORDER BY customer, name.name LIMIT ${AT_ONCE}`,
        )
        .all<JobCustomer & {readonly said: string; readonly line: number}>(...after);
      for (const {said, line, ...customer} of some)
        if (!isSamePerson(said, customer.name!)) yield {customer, name: said, line};
      if (some.length < AT_ONCE) return;
      after = [some.at(-1)!.ref, some.at(-1)!.said];
    }
  }

  customer(ref: string): JobCustomer | undefined {
    return this.database.prepare('SELECT * FROM customer WHERE ref = ?').get(ref);
  }

  nameOf(row: Row): string | null {
    return this.customer(row.customer)?.name || null;
  }

  /** The metadata key of a customer that this job creates. */
  customerKey(ref: string): string {
    return `${this.id}_${createHash('sha256').update(ref).digest('hex').slice(0, 16)}`;
  }

  setCustomer(ref: string, values: Partial<Omit<JobCustomer, 'ref'>>): void {
    const names = Object.keys(values) as (keyof typeof values)[];
    this.write(
      `UPDATE customer SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ref = ?`,
      ...names.map((name) => values[name] ?? null),
      ref,
    );
  }

  /** Customers, some at a time, so that a long list takes no more memory than a short one. */
  *customers(): Generator<JobCustomer> {
    let after = '';
    for (;;) {
      const some = this.database
        .prepare(`SELECT * FROM customer WHERE ref > ? ORDER BY ref LIMIT ${AT_ONCE}`)
        .all<JobCustomer>(after);
      yield* some;
      if (some.length < AT_ONCE) return;
      after = some.at(-1)!.ref;
    }
  }
}
