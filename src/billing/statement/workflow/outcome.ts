// The progress that a run reports, and the possible ends of a run.

import type {Applied, CentavoError} from '../../../common/errors.js';
import type {ExistingItem, BillingStatementData} from '../plan.js';
import type {RunCall} from './run-events.js';

export interface RunProgress {
  readonly customerId?: string;
  readonly statementId?: string;
  /** Number of wanted items known to exist. */
  readonly items: number;
  readonly of: number;
  /** The statement's status as last read or answered; `deleted` if the statement was deleted. */
  readonly status: string | undefined;
  readonly applied: Applied;
  readonly uncertainCall?: RunCall;
  /** True if this run voided the replaced statement. */
  readonly voided?: boolean;
}

export type RunStop =
  /** A call or a read failed, or the outcome stayed unknown. `itemNumber` counts from 1. */
  | {readonly why: 'failed'; readonly error: CentavoError; readonly at: RunCall | 'read'; readonly itemNumber?: number}
  /** The statement changed after the user confirmed. */
  | {readonly why: 'changed'; readonly statement: BillingStatementData}
  /** The draft has items that this run must not remove. */
  | {readonly why: 'foreign'; readonly items: readonly ExistingItem[]}
  /** The draft replaces the statement `old`, so only a reissue may finalize the draft. */
  | {readonly why: 'replaces'; readonly old: string}
  /** Reads do not show the confirmed changes, even after the API's maximum lag. */
  | {readonly why: 'not_shown'}
  /** The statement is finalized, and differs from the plan. */
  | {readonly why: 'mismatch'; readonly statement: BillingStatementData}
  /** The statement is deleted, void or uncollectible; or, for a send that the user named, not open. */
  | {readonly why: 'ended'; readonly statement: BillingStatementData}
  /** Another run has claimed the draft. */
  | {readonly why: 'taken'; readonly statement: BillingStatementData}
  /** Another run finalized the statement, and may have sent it. */
  | {readonly why: 'opened_by_other'; readonly statement: BillingStatementData}
  /** An earlier run or another command may have sent the statement. */
  | {readonly why: 'send_in_doubt'; readonly statement: BillingStatementData};

export type RunOutcome =
  | {
      readonly end: 'done';
      readonly statement: BillingStatementData;
      /** False if the statement already matched the plan. */
      readonly changed: boolean;
      /** Why the last read failed; the statement is then assembled from earlier answers. */
      readonly unread?: CentavoError;
      /** True if an earlier run sent the statement, so this run did not. */
      readonly sentBefore?: boolean;
    }
  | {readonly end: 'stopped'; readonly stop: RunStop; readonly state: RunProgress};
