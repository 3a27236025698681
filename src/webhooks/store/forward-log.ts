// Which target has accepted which delivery, and every attempt.
// An attempt's number is stored first, so that the app never sees it twice, even after a crash.

import {isAccepted} from '../../http/post.js';
import type {IsAlive, ProcessIdentity} from '../../programs/identity.js';
import type {Database} from '../../storage/sqlite.js';
import type {ForwardAttempt} from '../receive/delivery.js';
import type {GroupCommit} from './group-commit.js';

/** `given_up`: the app refused the delivery, or no attempts are left. */
export type ForwardState = 'delivered' | 'given_up' | 'pending';

type AttemptRow = Omit<ForwardAttempt, 'error' | 'replay' | 'status'> & {
  readonly status: number | null;
  readonly error: string | null;
  readonly replay: number;
};

/** Ids are those of first deliveries, whose state duplicates share. */
export class ForwardLog {
  readonly #database: Database;
  readonly #commits: GroupCommit;
  readonly #owner: ProcessIdentity;

  constructor(database: Database, commits: GroupCommit, owner: ProcessIdentity) {
    this.#database = database;
    this.#commits = commits;
    this.#owner = owner;
  }

  /** Called in the transaction that stores the delivery. @param attempts 1 when the first follows at once */
  plan(deliveryId: string, target: string, attempts: 0 | 1): void {
    this.#database
      .prepare('INSERT OR IGNORE INTO forwards VALUES (?, ?, ?, ?, ?, ?)')
      .run(deliveryId, target, 'pending', attempts, this.#owner.pid, this.#owner.startedAt);
  }

  state(deliveryId: string, target: string): ForwardState | undefined {
    return this.#database
      .prepare('SELECT state FROM forwards WHERE delivery_id = ? AND target = ?')
      .get<{state: ForwardState}>(deliveryId, target)?.state;
  }

  /** Resolves with the attempt's number, once it is on the disk. @param replay leaves the state as it is */
  beginAttempt(deliveryId: string, target: string, {replay = false} = {}): Promise<number> {
    return this.#commits.add(() => this.#begin(deliveryId, target, replay));
  }

  #begin(deliveryId: string, target: string, replay: boolean): number {
    const claim = replay ? '' : ", state = 'pending', pid = excluded.pid, started_at = excluded.started_at";
    const row = this.#database
      .prepare(
        `INSERT INTO forwards VALUES (?, ?, ?, 1, ?, ?)
         ON CONFLICT DO UPDATE SET attempts = attempts + 1${claim} RETURNING attempts`,
      )
      .get<{attempts: number}>(
        deliveryId,
        target,
        replay ? 'given_up' : 'pending',
        this.#owner.pid,
        this.#owner.startedAt,
      );
    return row!.attempts;
  }

  recordAttempt(attempt: ForwardAttempt, {settled}: {settled: boolean}): Promise<number | undefined> {
    return this.#commits.add(() => this.#record(attempt, settled), {urgent: false});
  }

  #record(attempt: ForwardAttempt, settled: boolean): number | undefined {
    const {deliveryId, target, startedAt, durationMs, status, error, replay = false} = attempt;
    this.#database
      .prepare('INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(deliveryId, target, attempt.attempt, startedAt, durationMs, status ?? null, error ?? null, replay ? 1 : 0);
    if (isAccepted(status)) this.#settle(deliveryId, target, 'delivered');
    else if (!replay && settled) this.#settle(deliveryId, target, 'given_up');
    else if (!replay) return this.#begin(deliveryId, target, false);
    return undefined;
  }

  #settle(deliveryId: string, target: string, state: ForwardState): void {
    this.#database
      .prepare("UPDATE forwards SET state = ? WHERE delivery_id = ? AND target = ? AND state <> 'delivered'")
      .run(state, deliveryId, target);
  }

  /** Oldest first. @param deliveryId of any delivery of the event */
  attempts(deliveryId: string): ForwardAttempt[] {
    return this.#database
      .prepare(
        `SELECT delivery_id AS deliveryId, target, attempt, started_at AS startedAt, duration_ms AS durationMs, status,
           error, replay FROM attempts
         WHERE delivery_id = coalesce((SELECT duplicate_of FROM deliveries WHERE id = ?1), ?1) ORDER BY rowid`,
      )
      .all<AttemptRow>(deliveryId)
      .map(({status, error, replay, ...attempt}) => ({
        ...attempt,
        ...(status !== null && {status}),
        ...(error !== null && {error}),
        ...(replay === 1 && {replay: true}),
      }));
  }

  /** Takes over what processes that ended have not delivered. Returns ids in the order of arrival. */
  adopt(target: string, profile: string, isAlive: IsAlive): string[] {
    const {pid, startedAt} = this.#owner;
    return this.#database.transaction(() => {
      const adopted = this.#database
        .prepare(
          `SELECT d.id, f.pid, f.started_at AS startedAt FROM forwards f JOIN deliveries d ON d.id = f.delivery_id
           WHERE f.target = ? AND f.state = 'pending' AND d.profile = ? AND NOT (f.pid = ? AND f.started_at = ?)
           ORDER BY d.seq`,
        )
        .all<ProcessIdentity & {readonly id: string}>(target, profile, pid, startedAt)
        .filter((row) => !isAlive(row.pid, row.startedAt))
        .map(({id}) => id);
      const claim = this.#database.prepare(
        'UPDATE forwards SET pid = ?, started_at = ? WHERE delivery_id = ? AND target = ?',
      );
      for (const id of adopted) claim.run(pid, startedAt, id, target);
      return adopted;
    });
  }
}
