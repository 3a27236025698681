// What a reissue needs, and how it can end.

import type {Applied, CentavoError} from '../../ground/errors.js';
import type {Step} from '../compose/journal.js';
import type {Outcome} from '../compose/outcome.js';
import type {Statement, StatementItem, StatementPlan} from '../compose/plan.js';

export interface ReissuePlan {
  /** The statement to replace. */
  readonly id: string;
  /** All items of the new statement; those of the old one, or of a draft that replaces it already, if left out. */
  readonly items?: readonly StatementItem[];
  /** Unix seconds; as with the items. */
  readonly dueAt?: number;
  readonly send: boolean;
}

/** Why a reissue stopped early. */
export type ReissueStop =
  /** A call failed, or its outcome stayed unknown; `read` is a read of the statements. */
  | {readonly why: 'failed'; readonly error: CentavoError; readonly at: Step | 'read'}
  /** The new statement could not be made, or not be opened: the plan says which. */
  | {readonly why: 'compose'; readonly outcome: Extract<Outcome, {end: 'stopped'}>; readonly plan: StatementPlan}
  /** The old statement has another state, and nothing replaces it. */
  | {readonly why: 'not_open'}
  /** The old statement is paid: drafts that were to replace it were removed, or are left. */
  | {
      readonly why: 'paid';
      readonly old: Statement;
      readonly removed: readonly string[];
      readonly left: readonly string[];
    }
  /** The old statement is paid, and its replacement is not a draft any more. */
  | {readonly why: 'billed_twice'; readonly replacement: Statement}
  /** It was reissued before, as something else than what is asked for now. */
  | {readonly why: 'replaced'; readonly replacement: Statement}
  /** The draft does not come to what the run that made it wanted. */
  | {readonly why: 'incomplete'; readonly replacement: Statement};

/** How far a reissue is known to have got. */
export interface ReissueState {
  /** The old statement as last read or answered; undefined when it could not be read. */
  readonly old: Statement | undefined;
  /** The id of the new statement. */
  readonly draft: string | undefined;
  readonly applied: Applied;
  /** The call that may or may not have been applied. */
  readonly inDoubt?: Step;
}

export type ReissueOutcome =
  | {
      readonly end: 'done';
      /** The new statement. */
      readonly statement: Statement;
      readonly old: Statement;
      /** False when it was reissued before. */
      readonly changed: boolean;
      /** Other drafts that were to replace the old one. */
      readonly surplus: readonly string[];
      /** Why the new one could not be read again. */
      readonly unread?: CentavoError;
      /** An earlier run sent it, so this one did not. */
      readonly sentBefore?: boolean;
    }
  | {readonly end: 'stopped'; readonly stop: ReissueStop; readonly state: ReissueState};
