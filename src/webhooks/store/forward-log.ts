// The log of forwarding: every attempt, and the state of each delivery by target.
// An attempt's number is stored before sending, so that the app never sees a number twice, even after a crash.

import {isAccepted} from '../../http/webhook-sender.js';
import type {IsProcessAlive, ProcessIdentity} from '../../processes/process-identity.js';
import {withoutNulls, type Database} from '../../storage/sqlite.js';
import type {AppResponse, Delivery, EventFacts, ForwardAttempt, WaitingDelivery} from '../receive/delivery.js';
import {explainRefusal} from '../forward/answers.js';
import type {GroupCommit} from './group-commit.js';

/** `given_up`: the app refused the delivery, or no attempts remain. */
export type ForwardState = 'delivered' | 'given_up' | 'pending';

/** Milliseconds between two attempts, at most. */
export const MAX_DELAY = 300_000;

/** Number of app responses that are kept, newest first. */
export const KEPT_RESPONSES = 1000;

type AttemptRow = Omit<ForwardAttempt, 'replay' | 'response'> & {readonly response?: string; readonly replay: number};

interface PendingRow extends ProcessIdentity {
  readonly target: string;
  readonly until: number | null;
  readonly seq: number;
  readonly profile: string;
  readonly tried: number;
}

/** Stores states and attempts by the id of the first delivery; duplicates share them. */
export class ForwardLog {
  constructor(
    private readonly database: Database,
    private readonly commits: GroupCommit,
    private readonly owner: ProcessIdentity,
  ) {}

  /** Must run in the transaction that stores the delivery. @param attempts 1 if the first attempt follows at once */
  plan(deliveryId: string, target: string, attempts: 0 | 1): void {
    const sql = `INSERT OR IGNORE INTO forwards (delivery_id, target, state, attempts, pid, started_at)
      VALUES (?, ?, ?, ?, ?, ?)`;
    this.database.run(sql, deliveryId, target, 'pending', attempts, this.owner.pid, this.owner.startedAt);
  }

  state(deliveryId: string, target: string): ForwardState | undefined {
    const sql = 'SELECT state FROM forwards WHERE delivery_id = ? AND target = ?';
    return this.database.get<{state: ForwardState}>(sql, deliveryId, target)?.state;
  }

  isUndelivered(eventId: string): boolean {
    const undelivered = `SELECT 1 FROM forwards f JOIN deliveries d ON d.id = f.delivery_id
      WHERE d.event_id = ? AND f.state <> 'delivered'`;
    return this.database.get(undelivered, eventId) !== undefined;
  }

  /** Resolves with the attempt's number, once it is on disk. @param replay leaves the state unchanged */
  beginAttempt(deliveryId: string, target: string, {replay = false} = {}): Promise<number> {
    const {pid, startedAt} = this.owner;
    const claim = replay ? '' : ", state = 'pending', pid = excluded.pid, started_at = excluded.started_at";
    const sql = `INSERT INTO forwards (delivery_id, target, state, attempts, pid, started_at) VALUES (?, ?, ?, 1, ?, ?)
      ON CONFLICT DO UPDATE SET attempts = attempts + 1${claim} RETURNING attempts`;
    return this.commits.add(() => {
      const values = [deliveryId, target, replay ? 'given_up' : 'pending', pid, startedAt];
      return this.database.get<{attempts: number}>(sql, ...values)!.attempts;
    });
  }

  /** Returns the number of a first attempt that is not made yet: a replay that overtakes it is the first. */
  releaseFirst(deliveryId: string, target: string): Promise<void> {
    return this.commits.add(() => {
      const sql = 'UPDATE forwards SET attempts = 0 WHERE delivery_id = ? AND target = ? AND attempts = 1';
      return void this.database.run(sql, deliveryId, target);
    });
  }

  /** @param next time of the next attempt, in milliseconds since the epoch */
  recordAttempt(attempt: ForwardAttempt, {settled, next}: {settled: boolean; next?: number}): Promise<void> {
    return this.commits.add(() => this.#record(attempt, settled, next), {urgent: false});
  }

  #record(attempt: ForwardAttempt, settled: boolean, next: number | undefined): void {
    const {deliveryId, target, startedAt, durationMs, status, error, response, replay = false} = attempt;
    const sql = `INSERT INTO attempts (delivery_id, target, attempt, started_at, duration_ms, status, error, response, replay)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING rowid`;
    const values = [
      deliveryId,
      target,
      attempt.attempt,
      startedAt,
      durationMs,
      status ?? null,
      error ?? null,
      response ? JSON.stringify(response) : null,
      replay ? 1 : 0,
    ];
    const {rowid} = this.database.get<{rowid: number}>(sql, ...values)!;
    this.database.run('UPDATE attempts SET response = NULL WHERE rowid = ?', rowid - KEPT_RESPONSES);
    const state = isAccepted(status) ? 'delivered' : settled && !replay ? 'given_up' : null;
    const query = `UPDATE forwards SET next_at = iif(?, next_at, ?), state = iif(state = 'delivered', state, coalesce(?, state))
      WHERE delivery_id = ? AND target = ?`;
    this.database.run(query, replay ? 1 : 0, next ?? null, state, deliveryId, target);
  }

  /** Returns the attempts, oldest first. @param deliveryId id of any delivery of the event */
  attempts(deliveryId: string): ForwardAttempt[] {
    const sql = `SELECT delivery_id AS deliveryId, target, attempt, started_at AS startedAt, duration_ms AS durationMs, status,
      error, response, replay FROM attempts
      WHERE delivery_id = coalesce((SELECT duplicate_of FROM deliveries WHERE id = ?1), ?1) ORDER BY rowid`;
    return this.database.all<AttemptRow>(sql, deliveryId).map((row) => {
      const {response, replay, ...known} = withoutNulls(row);
      const attempt = {...known, ...(response !== undefined && {response: JSON.parse(response) as AppResponse})};
      return {...attempt, ...explainRefusal(attempt), ...(replay === 1 && {replay: true})};
    });
  }

  pendingTargets(deliveryId: string): string[] {
    const sql = `SELECT target FROM forwards WHERE state = 'pending' AND
      delivery_id = coalesce((SELECT duplicate_of FROM deliveries WHERE id = ?1), ?1)`;
    return this.database.all<{target: string}>(sql, deliveryId).map(({target}) => target);
  }

  /**
   * Returns the reason why a delivery waits. The time is missing if its process has ended, and 0 if the attempt is due.
   * It is at most one delay from now, even if the clock was set.
   * @param now milliseconds since the epoch
   */
  waitingFor({id, duplicateOf, event}: Delivery, isAlive: IsProcessAlive, now: number): WaitingDelivery | undefined {
    const sql = `SELECT f.target, f.next_at AS until, f.pid, f.started_at AS startedAt, d.seq, d.profile,
      EXISTS (SELECT 1 FROM attempts a WHERE a.delivery_id = d.id AND a.target = f.target) AS tried
      FROM forwards f JOIN deliveries d ON d.id = f.delivery_id WHERE d.id = ? AND f.state = 'pending'`;
    const row = this.database.get<PendingRow>(sql, duplicateOf ?? id);
    if (!row) return undefined;
    const dueAt = (at: number | null) => (at !== null && at > now ? Math.min(at, now + MAX_DELAY) : 0);
    const timeOf = (at: number | null) => (isAlive(row.pid, row.startedAt) ? {nextAttemptAt: dueAt(at)} : {});
    if (row.tried === 1 || event.objectId === undefined) return timeOf(row.until);
    // Only a delivery without any attempt can be held.
    const query = `SELECT d.id, d.event, f.next_at AS until FROM forwards f JOIN deliveries d ON d.id = f.delivery_id
      WHERE f.target = ? AND f.state = 'pending' AND d.profile = ? AND d.seq < ?
      AND json_extract(d.event, '$.objectId') = ? ORDER BY d.seq LIMIT 1`;
    const values = [row.target, row.profile, row.seq, event.objectId];
    const head = this.database.get<{id: string; event: string; until: number | null}>(query, ...values);
    if (!head) return timeOf(row.until);
    return {heldBy: {deliveryId: head.id, event: JSON.parse(head.event) as EventFacts}, ...timeOf(head.until)};
  }

  /** Claims undelivered events of ended processes. Returns their ids in the order of arrival. */
  adopt(target: string, profile: string, isAlive: IsProcessAlive): string[] {
    const {pid, startedAt} = this.owner;
    return this.database.transaction(() => {
      const sql = `SELECT d.id, f.pid, f.started_at AS startedAt FROM forwards f JOIN deliveries d ON d.id = f.delivery_id
        WHERE f.target = ? AND f.state = 'pending' AND d.profile = ? AND NOT (f.pid = ? AND f.started_at = ?)
        ORDER BY d.seq`;
      const adopted = this.database
        .all<ProcessIdentity & {readonly id: string}>(sql, target, profile, pid, startedAt)
        .filter((row) => !isAlive(row.pid, row.startedAt))
        .map(({id}) => id);
      const claim = 'UPDATE forwards SET pid = ?, started_at = ?, next_at = NULL WHERE delivery_id = ? AND target = ?';
      for (const id of adopted) this.database.run(claim, pid, startedAt, id, target);
      return adopted;
    });
  }
}
