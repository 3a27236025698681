// Changes that an agent asked for and a person has to approve: each a stored command line, with private copies of its inputs.

import {refusedError} from '../common/errors.js';
import {DAY} from '../common/manila.js';
import {randomToken} from '../common/random.js';
import type {IsProcessAlive, ProcessIdentity} from '../processes/process-identity.js';
import type {Database, SqliteValue} from '../storage/sqlite.js';
import {RepeatsFile} from './repeats.js';

/** Seconds after which an open hand-over ends. */
const OPEN_FOR = 7 * DAY;
/** Seconds for which the same change asked again is the one that was done. As for equal changes. */
const WINDOW = 20 * 3600;
/** Days after its end after which a hand-over is removed. */
const KEPT = 90;
const MAX_OPEN = 50;

/** `claimed`: a person runs it. `unknown`: it was run, and its outcome is not known. */
type HandOverState = 'claimed' | 'done' | 'expired' | 'failed' | 'open' | 'rejected' | 'unknown';

/** What is asked for. */
export interface WantedHandOver {
  /** Identifies the account: `context.accountId()`. */
  readonly account: string;
  /** Covers the command and what was typed, and the bytes of files. */
  readonly digest: string;
  readonly profile: string;
  /** Where the key came from: `CENTAVO_SECRET_KEY`. */
  readonly key_source: string;
  /** `refunds create` */
  readonly command: string;
  /** JSON of the flags and arguments that describe the change, as they were typed. */
  readonly argv: string;
  /** JSON of what references stood for: ids by kind and text. */
  readonly resolved: string;
  /** `refund ₱100.00 to Juan` */
  readonly what: string;
  /** Centavos. */
  readonly amount: number | null;
  readonly customer: string | null;
  /** JSON of the ids of the objects that the change names. */
  readonly ids: string;
  /** The variable by which the agent was known. */
  readonly agent: string;
}

/** A row. Times are unix seconds by the account's clock. */
export interface HandOver extends WantedHandOver {
  readonly id: string;
  readonly state: HandOverState;
  readonly asked_at: number;
  /** When a person last claimed or ended it. */
  readonly decided_at: number | null;
  /** When the agent was told that it was done. */
  readonly told_at: number | null;
  /** `ok`, or the code of the error. */
  readonly result: string | null;
  /** Id of the object that was made. */
  readonly object: string | null;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

/** Bytes by the path that was typed; `-` for stdin. */
export type InputCopies = ReadonlyMap<string, Uint8Array>;

export class HandOvers extends RepeatsFile {
  protected readonly what = 'the hand-over';

  /** Returns the last hand-over of a change. @param now unix seconds by the account's clock */
  last({account, digest}: Pick<WantedHandOver, 'account' | 'digest'>, now: number): HandOver | undefined {
    this.#expire(now);
    const sql = 'SELECT * FROM hand_over WHERE account = ? AND digest = ? ORDER BY n DESC LIMIT 1';
    return this.#shown(this.open().get<HandOver>(sql, account, digest));
  }

  /** Stores a change, or returns the open hand-over of the same change. @throws CentavoError code `too_many_hand_overs` */
  store(wanted: WantedHandOver, copies: InputCopies, now: number): HandOver {
    return this.write((database) => {
      const known = this.last(wanted, now);
      if (known?.state === 'open' || known?.state === 'claimed') return known;
      const sql = "SELECT count(*) AS count FROM hand_over WHERE account = ? AND state = 'open'";
      const {count} = database.get<{count: number}>(sql, wanted.account)!;
      if (count >= MAX_OPEN)
        throw refusedError('too_many_hand_overs', `${MAX_OPEN} changes already wait for a person.`, {
          hint: 'A person approves or rejects them: centavo approve',
          needsPerson: true,
        });
      const id = `ho_${this.options.token()}`;
      const row = {id, state: 'open', asked_at: now, ...wanted};
      const names = Object.keys(row);
      const query = `INSERT INTO hand_over (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
      database.run(query, ...(Object.values(row) as SqliteValue[]));
      for (const [path, bytes] of copies)
        database.run('INSERT INTO hand_over_input (hand_over, path, bytes) VALUES (?, ?, ?)', id, path, bytes);
      return this.get(id)!;
    });
  }

  get(id: string): HandOver | undefined {
    return this.#shown(this.open().get<HandOver>('SELECT * FROM hand_over WHERE id = ?', id));
  }

  list(account: string, now: number): HandOver[] {
    this.#expire(now);
    const sql = 'SELECT * FROM hand_over WHERE account = ? ORDER BY n DESC';
    return this.open()
      .all<HandOver>(sql, account)
      .map((row) => this.#shown(row)!);
  }

  copies(id: string): InputCopies {
    const sql = 'SELECT path, bytes FROM hand_over_input WHERE hand_over = ?';
    const rows = this.open().all<{path: string; bytes: Uint8Array}>(sql, id);
    return new Map(rows.map(({path, bytes}) => [path, bytes]));
  }

  /** Holds a hand-over for this process. @returns undefined if it is not open any more, or another process holds it */
  claim(id: string, now: number): HandOver | undefined {
    const {pid, startedAt} = this.options.owner;
    return this.write((database) => {
      this.#expire(now);
      const found = this.get(id);
      if (found?.state !== 'open' && found?.state !== 'unknown') return undefined;
      const sql = `UPDATE hand_over SET state = 'claimed', pid = ?, pid_started_at = ?, decided_at = ? WHERE id = ? RETURNING *`;
      return database.get<HandOver>(sql, pid, startedAt, now, id);
    });
  }

  /** Records the end of a claimed hand-over, or that it is open again. */
  end(id: string, state: HandOverState, {result, object}: {result: string; object?: string}, now: number): void {
    const sql = `UPDATE hand_over SET state = ?, result = ?, object = ?, decided_at = ?, pid = NULL, pid_started_at = NULL
      WHERE id = ?`;
    this.write((database) => {
      database.run(sql, state, result, object ?? null, now, id);
      this.#removeCopies(database);
    });
  }

  /** Ends a hand-over that nobody runs. @returns false if it has ended */
  reject(id: string, now: number): boolean {
    return this.write((database) => {
      if (!['open', 'unknown'].includes(this.get(id)?.state ?? '')) return false;
      database.run("UPDATE hand_over SET state = 'rejected', decided_at = ? WHERE id = ?", now, id);
      this.#removeCopies(database);
      return true;
    });
  }

  told(id: string, now: number): void {
    this.write((database) => database.run('UPDATE hand_over SET told_at = coalesce(told_at, ?) WHERE id = ?', now, id));
  }

  /** True if the same change asked again is this one: done a short while ago, or the agent does not know yet. */
  isAnswer({state, told_at: toldAt, decided_at: at}: HandOver, now: number): boolean {
    return state === 'done' && (toldAt === null || now - at! < WINDOW);
  }

  /** A hand-over whose process was killed is open again: its change knows what it had done. */
  #shown(row: HandOver | undefined): HandOver | undefined {
    if (row?.state !== 'claimed') return row;
    const {owner, isAlive} = this.options;
    const isHeld = row.pid === owner.pid || isAlive(row.pid!, row.pid_started_at!);
    return isHeld ? row : {...row, state: 'open'};
  }

  #expire(now: number): void {
    this.write((database) => {
      const sql = "UPDATE hand_over SET state = 'expired', decided_at = ? WHERE state = 'open' AND asked_at < ?";
      database.run(sql, now, now - OPEN_FOR);
      const query = "DELETE FROM hand_over WHERE state NOT IN ('open', 'claimed', 'unknown') AND decided_at < ?";
      database.run(query, now - KEPT * DAY);
      this.#removeCopies(database);
    });
  }

  #removeCopies(database: Database): void {
    database.exec(
      `DELETE FROM hand_over_input WHERE hand_over NOT IN
         (SELECT id FROM hand_over WHERE state IN ('open', 'claimed', 'unknown'))`,
    );
  }
}

/** @param onClose receives what closes the file */
export function openHandOvers(
  path: string,
  host: {
    readonly identity: ProcessIdentity;
    readonly isAlive: IsProcessAlive;
    readonly randomBytes: (size: number) => Uint8Array;
  },
  onClose: (close: () => unknown) => void,
): HandOvers {
  const {identity: owner, isAlive, randomBytes} = host;
  const made = new HandOvers(path, {owner, isAlive, token: () => randomToken(randomBytes, 12)});
  onClose(() => made.close());
  return made;
}
