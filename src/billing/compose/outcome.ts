// What a run needs, what it reports, and how it can end.

import type {Client} from '../../client/client.js';
import type {Applied, CentavoError} from '../../ground/errors.js';
import type {Journal, Step} from './journal.js';
import type {PresentItem, Statement} from './plan.js';

export interface RunOptions {
  readonly client: Client;
  readonly journal: Journal;
  readonly signal?: AbortSignal;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Unix seconds. */
  readonly now: () => number;
  /** Letters and digits that no other run has. */
  readonly token: () => string;
  readonly tell: (news: RunEvent) => void;
  /** Finds the statements that carry a key; a job looks for all of its own at once. */
  readonly search?: Search;
}

export interface KeySearch {
  readonly key: string;
  readonly customer: string;
  /** Unix seconds; statements from well before it are not looked at. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, the oldest first. */
export type Search = (wanted: KeySearch) => Promise<readonly string[]>;

export type RunEvent =
  | {readonly what: 'added' | 'customer' | 'draft' | 'finalized' | 'sent' | 'voided'; readonly id: string}
  | {readonly what: 'doubt'; readonly step: Step; readonly error: CentavoError}
  /** A read does not show the answered changes yet; the run waits before the next one. */
  | {readonly what: 'stale'}
  | {readonly what: 'removed'; readonly id: string; readonly item?: PresentItem};

/** How far the run is known to have got. */
export interface RunState {
  readonly customerId?: string;
  readonly statementId?: string;
  /** How many of the wanted items are known to be there. */
  readonly items: number;
  readonly of: number;
  /** As last read or answered; `deleted` when it was deleted. */
  readonly status: string | undefined;
  /** Whether this run has changed anything. */
  readonly applied: Applied;
  /** The call that may or may not have been applied. */
  readonly inDoubt?: Step;
}

/** Why a run stopped early. */
export type Stop =
  /** A call failed, or its outcome stayed unknown; `read` is a read of the statement. */
  | {readonly why: 'failed'; readonly error: CentavoError; readonly at: Step | 'read'; readonly itemNumber?: number}
  /** The draft is not as it was when its change was decided on. Nothing was changed. */
  | {readonly why: 'changed'; readonly statement: Statement}
  /** The draft holds items that this run must not remove. */
  | {readonly why: 'foreign'; readonly items: readonly PresentItem[]}
  /** Reads do not show the answered changes, even after the settle time. */
  | {readonly why: 'not_shown'}
  /** It is finalized, and differs from the plan. */
  | {readonly why: 'mismatch'; readonly statement: Statement}
  /** It is paid, void or uncollectible, or was opened by somebody else. */
  | {readonly why: 'ended'; readonly statement: Statement}
  /** Another statement carries the same key, and cannot be taken for a duplicate draft of this run. */
  | {readonly why: 'twin'; readonly id: string}
  /** Another run has made the draft its own. */
  | {readonly why: 'taken'; readonly statement: Statement}
  /** It is open, and this run did not finalize it: whoever did may have sent it. */
  | {readonly why: 'opened_by_other'; readonly statement: Statement}
  /** Another run may have sent it. */
  | {readonly why: 'send_in_doubt'; readonly statement: Statement};

export type Outcome =
  | {
      readonly end: 'done';
      readonly statement: Statement;
      /** False when everything was there already. */
      readonly changed: boolean;
      /** Why it could not be read again; the statement is then assembled from the answers. */
      readonly unread?: CentavoError;
      /** An earlier run sent it, so this one did not. */
      readonly sentBefore?: boolean;
    }
  | {readonly end: 'stopped'; readonly stop: Stop; readonly state: RunState};
