// Errors of a reissue that stopped early: what became of the old statement and of the new one, and the next command.

import {statementName} from '../../../api/statement.js';
import type {Statement} from '../../../billing/compose/plan.js';
import type {ReissueOutcome, ReissueStop} from '../../../billing/reissue.js';
import {suggest, wrongStatus} from '../../../cli/next-steps.js';
import {CentavoError, type ErrorDetails} from '../../../ground/errors.js';
import {formatPesos} from '../../../ground/pesos.js';
import {explainStop, NOT_REPEATED, NOTHING_APPLIED} from '../shared/compose/end.js';

export interface ReissueCommands {
  /** The same command once more. */
  readonly again: string;
  /** The flags of the account that it is about. */
  readonly account: string;
}

type Stopped = Omit<Extract<ReissueOutcome, {end: 'stopped'}>, 'end'>;

export function explainReissue({stop, old, applied}: Stopped, {again, account}: ReissueCommands): CentavoError {
  const rejected = (message: string, details: ErrorDetails): CentavoError =>
    new CentavoError('rejected', message, {...details, applied});
  switch (stop.why) {
    case 'failed': {
      if (applied === 'no') return stop.error.with({applied});
      const changed = old && `${statementName(old)} was ${old.status} when it was last read.`;
      return stop.error.with({applied, changed, hint: stop.error.details.hint ?? `Continue with: ${again}`});
    }
    case 'run':
      return notOpened(stop, {old: old!, applied}, {again, account});
    case 'not_open':
      return notOpen(old!, account);
    case 'paid':
      return rejected(`${statementName(old!)} is paid.`, {
        code: 'statement_paid',
        why: 'Only an open statement can be reissued. Nothing was billed again.',
        changed: draftWords(stop),
        hint: stop.left.length > 0 ? suggest('delete', stop.left, account) : suggest('see', old!.id, account),
      });
    case 'elsewhere': {
      const {id, status} = stop.other;
      const isLeft = stop.left.length > 0;
      return rejected(
        `${statementName(stop.other)}, which ${status === 'draft' ? 'is to replace' : 'replaced'} ${statementName(old!)}, is ${status === 'draft' ? 'a draft of another run' : status}.`,
        {
          code: 'reissued_elsewhere',
          why: `${statementName(old!)} is ${old!.status}. Two in its place are never both opened.`,
          changed: draftWords(stop),
          hint:
            status === 'draft' && !isLeft
              ? `When the other run has ended: ${again}`
              : suggest(status === 'draft' ? 'delete_unused' : 'see', id, account),
        },
      );
    }
    case 'billed_twice': {
      const {id, status} = stop.replacement;
      return rejected(
        `${statementName(old!)} is paid, and ${statementName(stop.replacement)}, which replaces it, is ${status}.`,
        {
          code: 'billed_twice',
          why: status === 'open' ? 'The customer can pay twice.' : 'The customer may have paid twice.',
          changed: '',
          hint: suggest(status === 'open' ? 'void' : 'refund', id, account),
        },
      );
    }
    case 'replaced': {
      const {id} = stop.replacement;
      const both = old!.status === 'open';
      return rejected(
        `${statementName(old!)} was reissued as ${statementName(stop.replacement)}, with other items or another due date.`,
        {
          code: 'already_reissued',
          why: both ? 'Both can be paid.' : undefined,
          hint: both
            ? suggest('void_old', old!.id, account)
            : `Correct the new one: ${again.replace(/(?<=billing-statements reissue )\S+/, id)}`,
        },
      );
    }
    case 'incomplete': {
      const {id, amount, status} = stop.replacement;
      const isDraft = status === 'draft';
      const which = isDraft ? `the draft ${id}` : statementName(stop.replacement);
      return rejected(`${which}, which replaces ${statementName(old!)}, comes to ${formatPesos(amount)}.`, {
        code: 'incomplete_draft',
        why: `An earlier run wanted another amount. ${statementName(old!)} is ${old!.status}.`,
        hint: suggest(isDraft ? 'finalize_if_right' : 'send_if_right', id, account),
      });
    }
  }
}

/** What became of the drafts of this run. */
function draftWords({removed, left}: {readonly removed: readonly string[]; readonly left: readonly string[]}): string {
  const gone = removed.length > 0 && `The draft ${removed.join(', ')} was deleted.`;
  const kept = left.length > 0 && `The draft ${left.join(', ')} is left.`;
  return [gone, kept].filter(Boolean).join(' ');
}

function notOpened(
  {outcome: {stop, state}, plan}: Extract<ReissueStop, {why: 'run'}>,
  {old, applied}: {readonly old: Statement; readonly applied: Stopped['applied']},
  {again, account}: ReissueCommands,
): CentavoError {
  const error = explainStop(stop, state, plan, account);
  const hint =
    stop.why === 'foreign' && state.inDoubt !== 'finalize'
      ? suggest('delete_and_repeat', state.statementId!, account)
      : stop.why === 'failed' && state.inDoubt !== 'send' && !NOT_REPEATED.includes(error.kind)
        ? `Continue with: ${again}`
        : error.details.hint;
  // Some exit codes promise that nothing was applied.
  const kind = applied === 'yes' && NOTHING_APPLIED.includes(error.kind) ? 'partial' : error.kind;
  const name = statementName(old);
  const isSaid = stop.why === 'failed' && stop.at === 'void' && error.kind === 'outcome_unknown';
  const isKnown = state.inDoubt !== 'void' && old.status !== undefined;
  const words = isKnown ? `${name} is ${old.status}.` : isSaid ? '' : `${name} may be void.`;
  return new CentavoError(kind, error.message, {
    ...error.details,
    applied: error.details.applied === 'unknown' ? 'unknown' : applied,
    changed: [error.details.changed, words].filter(Boolean).join(' '),
    hint,
  });
}

function notOpen(old: Statement, account: string): CentavoError {
  const {id, deleted, status} = old;
  if (deleted) return new CentavoError('not_found', `billing statement ${id} was deleted.`, {applied: 'no'});
  const why =
    status === 'draft'
      ? 'Only an open statement is reissued; a draft can still be changed.'
      : 'There is nothing to reissue any more.';
  return wrongStatus('reissue', old, account, {code: 'not_open', why});
}
