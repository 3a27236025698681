// What a job is to make and what came of it: its rows and their items.

import {DAY, MANILA_OFFSET} from '../../../ground/manila.js';
import type {StatementItem} from '../../compose/plan.js';
import {AT_ONCE, JobCustomers} from './customers.js';
import type {Phase, Row, Tally} from './facts.js';

/** A row with its due date as it was typed. */
export type TypedRow = Row & {readonly due: string | null};

/** What is known of a row when it is read from the file. */
export interface NewRow extends Pick<Row, 'customer' | 'description' | 'due_at' | 'external_id' | 'line' | 'metadata'> {
  readonly due: string | null;
  /** Centavos of the items that are known. */
  readonly amount?: number;
}

/** A row that bills the customer of an earlier one for the same items on the same day. */
export interface Repeated {
  readonly n: number;
  readonly external_id: string;
  readonly line: number;
  /** The first of them. */
  readonly first_external_id: string;
  readonly first_line: number;
}

/** The rows of a job that are still to be worked on. */
export interface Left {
  readonly statements: number;
  /** Centavos of all of them. */
  readonly amount: number;
  readonly customers: number;
  /** How many are not known to be made. */
  readonly unmade: number;
  /** How many drafts may lack something. */
  readonly begun: number;
  /** How many are not known to be finalized. */
  readonly drafts: number;
  /** The one with the largest amount. */
  readonly largest: Row | undefined;
}

export abstract class JobRows extends JobCustomers {
  /** Number of the last row; undefined before it is asked for. */
  #last: number | undefined;

  /** Returns the number of the new row. */
  addRow({external_id, line, customer, due, due_at, description, metadata, amount = 0}: NewRow): number {
    this.#last ??= this.database.prepare('SELECT coalesce(max(n), 0) AS n FROM row').get<{n: number}>()!.n;
    const n = ++this.#last;
    this.write(
      `INSERT INTO row (n, external_id, line, customer, due, due_at, description, metadata, amount)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[n, external_id, line, customer, due, due_at, description, metadata, amount],
    );
    return n;
  }

  addItem(n: number, {description, quantity, unit_price: price}: StatementItem): void {
    this.write(
      `INSERT INTO item (row, position, description, quantity, unit_price)
       VALUES (?, (SELECT count(*) FROM item WHERE row = ?), ?, ?, ?)`,
      ...[n, n, description, quantity, price],
    );
  }

  /** What the items of a row with this quantity and price are called. */
  itemTexts(n: number, {quantity, unit_price: price}: Pick<StatementItem, 'quantity' | 'unit_price'>): string[] {
    return this.database
      .prepare('SELECT description FROM item WHERE row = ? AND quantity = ? AND unit_price = ?')
      .all<{description: string}>(n, quantity, price)
      .map(({description}) => description);
  }

  itemsOf(n: number): StatementItem[] {
    return this.database
      .prepare('SELECT description, quantity, unit_price FROM item WHERE row = ? ORDER BY position')
      .all(n);
  }

  get itemCount(): number {
    return this.database.prepare('SELECT count(*) AS count FROM item').get<{count: number}>()!.count;
  }

  row(n: number): TypedRow {
    return this.database.prepare('SELECT * FROM row WHERE n = ?').get<TypedRow>(n)!;
  }

  rowNamed(externalId: string): TypedRow | undefined {
    return this.database.prepare('SELECT * FROM row WHERE external_id = ?').get(externalId);
  }

  rowWithKey(key: string): Row | undefined {
    return this.database.prepare('SELECT * FROM row WHERE key = ?').get(key);
  }

  rowOf(statementId: string): Row | undefined {
    return this.database.prepare('SELECT * FROM row WHERE id = ?').get(statementId);
  }

  setRow(n: number, values: Partial<Omit<Row, 'n'>>): void {
    const names = Object.keys(values) as (keyof typeof values)[];
    this.write(
      `UPDATE row SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE n = ?`,
      ...names.map((name) => values[name] ?? null),
      n,
    );
  }

  /** Rows in the order of the file, some at a time. @param phases only rows in one of these as the reading reaches them */
  *rows(phases?: readonly Phase[]): Generator<TypedRow> {
    const where = phases ? `AND phase IN (${phases.map(() => '?').join(', ')})` : '';
    let after = 0;
    for (;;) {
      const some = this.database
        .prepare(`SELECT * FROM row WHERE n > ? ${where} ORDER BY n LIMIT ${AT_ONCE}`)
        .all<TypedRow>(after, ...(phases ?? []));
      yield* some;
      if (some.length < AT_ONCE) return;
      after = some.at(-1)!.n;
    }
  }

  /** Rows for a customer, by what the file calls them. */
  rowsFor(ref: string): Row[] {
    return this.database.prepare('SELECT * FROM row WHERE customer = ? ORDER BY n').all(ref);
  }

  /** Rows for a customer, by id, of this amount. @param amount centavos; of any when left out */
  rowsForId(id: string, amount?: number): Row[] {
    const of = amount === undefined ? '' : ' AND row.amount = ?';
    return this.database
      .prepare(
        `SELECT row.* FROM customer JOIN row ON row.customer = customer.ref WHERE customer.id = ?${of} ORDER BY row.n`,
      )
      .all(id, ...(amount === undefined ? [] : [amount]));
  }

  /** Rows that repeat another one, when customers are known; in the order of the file, some at a time. */
  *repeatedRows(): Generator<Repeated> {
    // Every customer, amount and day that is there more than once; only then are items compared. libsql would sort in memory.
    this.database.exec(`
      PRAGMA temp_store = FILE;
      DROP TABLE IF EXISTS temp.repeated;
      CREATE TEMP TABLE repeated (n INTEGER PRIMARY KEY, first INTEGER NOT NULL);
      INSERT INTO repeated
      WITH billed AS (
        SELECT n, coalesce(customer.id, row.customer) AS payer, amount, (due_at + ${MANILA_OFFSET}) / ${DAY} AS day
        FROM row JOIN customer ON customer.ref = row.customer
      ), alike AS (
        SELECT *, count(*) OVER (PARTITION BY payer, amount, day) AS count FROM billed
      ), same AS (
        SELECT n, min(n) OVER (PARTITION BY payer, amount, day, (
          SELECT json_group_array(json_array(description, quantity, unit_price))
          FROM (SELECT * FROM item WHERE item.row = alike.n ORDER BY description, quantity, unit_price)
        )) AS first FROM alike WHERE count > 1
      )
      SELECT n, first FROM same WHERE n > first`);
    let after = 0;
    for (;;) {
      const some = this.database
        .prepare(
          `SELECT row.n, row.external_id, row.line, first.external_id AS first_external_id, first.line AS first_line
           FROM repeated JOIN row ON row.n = repeated.n JOIN row AS first ON first.n = repeated.first
           WHERE repeated.n > ? ORDER BY repeated.n LIMIT ${AT_ONCE}`,
        )
        .all<Repeated>(after);
      yield* some;
      if (some.length < AT_ONCE) return;
      after = some.at(-1)!.n;
    }
  }

  /** Rows that may have been sent. */
  unclearSends(): Row[] {
    return this.database.prepare(`SELECT * FROM row WHERE phase = 'finishing' AND sent = 'unknown' ORDER BY n`).all();
  }

  /** What is left to do. @param withFailed whether those that failed are tried again @param resend rows to be sent again */
  left(withFailed: boolean, resend: readonly number[]): Left {
    const where = `phase <> 'done' AND phase <> ? AND (sent <> 'unknown' OR n IN (SELECT value FROM json_each(?)))`;
    const values = [withFailed ? '' : 'failed', JSON.stringify(resend)];
    const counts = this.database
      .prepare(
        `SELECT count(*) AS statements, coalesce(sum(amount), 0) AS amount, count(DISTINCT customer) AS customers,
           coalesce(sum(id IS NULL), 0) AS unmade,
           coalesce(sum(phase IN ('drafting', 'failed') AND opened = 0), 0) AS begun,
           coalesce(sum(sent <> 'unknown' AND (status IS NULL OR status = 'draft')), 0) AS drafts
         FROM row WHERE ${where}`,
      )
      .get<Omit<Left, 'largest'>>(...values)!;
    const largest = this.database
      .prepare(`SELECT * FROM row WHERE ${where} ORDER BY amount DESC LIMIT 1`)
      .get<Row>(...values);
    return {...counts, largest};
  }

  /** Rows that failed are tried again. Where they got to is read from the account. */
  retryFailed(): void {
    this.write(
      `UPDATE row SET phase = CASE opened WHEN 1 THEN 'finishing' ELSE 'drafting' END, error_code = NULL, error = NULL
       WHERE phase = 'failed'`,
    );
  }

  /**
   * A row that another process has worked on since the person was asked is left alone.
   * @param asked the rows as they were then @param now unix seconds
   */
  sendAgain(asked: readonly Row[], now: number): void {
    const decided = new Map(asked.map(({n, resend_at: at}) => [n, at]));
    for (const {n, resend_at: at} of this.unclearSends())
      if (decided.get(n) === at) this.setRow(n, {sent: 'no', opened: 1, doubted: 1, resend_at: now});
  }

  /** Id of an object that the account of this job has, if one is known. */
  get knownId(): string | undefined {
    return (
      this.database.prepare('SELECT id FROM customer WHERE id IS NOT NULL LIMIT 1').get<{id: string}>() ??
      this.database.prepare('SELECT id FROM row WHERE id IS NOT NULL LIMIT 1').get<{id: string}>()
    )?.id;
  }

  get tally(): Tally {
    const counts = this.database
      .prepare(
        `SELECT count(*) AS statements, coalesce(sum(amount), 0) AS amount, min(due_at) AS firstDue, max(due_at) AS lastDue,
           coalesce(sum(phase = 'done'), 0) AS done, coalesce(sum(CASE phase WHEN 'done' THEN amount END), 0) AS doneAmount,
           coalesce(sum(phase = 'done' AND sent = 'yes'), 0) AS sent, coalesce(sum(phase = 'failed'), 0) AS failed,
           coalesce(sum(phase IN ('drafted', 'finishing')), 0) AS drafted,
           coalesce(sum(phase IN ('drafting', 'finishing') AND
             (sent = 'unknown' OR unsettled_at IS NOT NULL OR (SELECT pid FROM job) IS NOT NULL)), 0) AS inDoubt
         FROM row`,
      )
      .get<Omit<Tally, 'customers' | 'newCustomers'>>()!;
    const customers = this.database
      .prepare('SELECT count(*) AS customers, coalesce(sum(creates AND id IS NULL), 0) AS newCustomers FROM customer')
      .get<Pick<Tally, 'customers' | 'newCustomers'>>()!;
    return {...counts, ...customers};
  }
}
