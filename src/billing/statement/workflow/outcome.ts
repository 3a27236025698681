// The reports of a run, and its possible ends.

import type {Applied, CentavoError} from '../../../common/errors.js';
import type {ExistingItem, BillingStatementData} from '../plan.js';
import type {RunCall} from './run-events.js';

/** The known progress of the run. */
export interface RunProgress {
  readonly customerId?: string;
  readonly statementId?: string;
  /** Number of wanted items known to exist. */
  readonly items: number;
  readonly of: number;
  /** As last read or answered; `deleted` if it was deleted. */
  readonly status: string | undefined;
  readonly applied: Applied;
  /** The call that may or may not have been applied. */
  readonly uncertainCall?: RunCall;
  /** True if the replaced statement is known to be void. */
  readonly voided?: boolean;
}

export type RunStop =
  /** A call failed, or its outcome stayed unknown; `read` is a read of the statement. */
  | {readonly why: 'failed'; readonly error: CentavoError; readonly at: RunCall | 'read'; readonly itemNumber?: number}
  /** The draft differs from its state when the change was confirmed. Nothing was changed. */
  | {readonly why: 'changed'; readonly statement: BillingStatementData}
  /** The draft holds items that this run must not remove. */
  | {readonly why: 'foreign'; readonly items: readonly ExistingItem[]}
  /** The draft is to replace another statement, which a reissue voids first. */
  | {readonly why: 'replaces'; readonly old: string}
  /** Reads do not show the answered changes, even after the settle time. */
  | {readonly why: 'not_shown'}
  /** It is finalized, and differs from the plan. */
  | {readonly why: 'mismatch'; readonly statement: BillingStatementData}
  /** It is paid, void or uncollectible, or was finalized by another run. */
  | {readonly why: 'ended'; readonly statement: BillingStatementData}
  /** Another run has made the draft its own. */
  | {readonly why: 'taken'; readonly statement: BillingStatementData}
  /** It is open, and another run finalized it, which may have sent it. */
  | {readonly why: 'opened_by_other'; readonly statement: BillingStatementData}
  /** Another run may have sent it. */
  | {readonly why: 'send_in_doubt'; readonly statement: BillingStatementData};

export type RunOutcome =
  | {
      readonly end: 'done';
      readonly statement: BillingStatementData;
      /** False when everything was there already. */
      readonly changed: boolean;
      /** Why it could not be read again; the statement is then assembled from the answers. */
      readonly unread?: CentavoError;
      /** An earlier run sent it, so this one did not. */
      readonly sentBefore?: boolean;
    }
  | {readonly end: 'stopped'; readonly stop: RunStop; readonly state: RunProgress};
