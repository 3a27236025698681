// Explains a reissue that stopped: what became of both statements, and the next command.

import type {Standing} from '../../../accounting/standing.js';
import {statementName, statusText} from '../../../api/statement.js';
import type {BillingStatementData} from '../plan.js';
import type {ReissueOutcome, ReissueStop} from '../reissue.js';
import {nextStep} from '../../../cli/next-steps.js';
import {refusalFor} from '../../../cli/refusals.js';
import {CentavoError, type ErrorDetails, nextCommand} from '../../../common/errors.js';
import {nextText} from '../../../common/next-text.js';
import {formatPesos} from '../../../common/pesos.js';
import {explainStop, NOT_REPEATED, NOTHING_APPLIED} from './explain-stop.js';

interface ReissueCommands {
  /** The money of the old statement. */
  readonly standing?: Standing;
  /** Unix seconds. */
  readonly now: number;
  readonly again: readonly string[];
  readonly account: readonly string[];
}

export type ReissueStopped = Omit<Extract<ReissueOutcome, {end: 'stopped'}>, 'end'>;

export function explainReissue(
  {stop, old, applied}: ReissueStopped,
  {again, account, standing, now}: ReissueCommands,
): CentavoError {
  const rejected = (message: string, details: ErrorDetails): CentavoError =>
    new CentavoError('rejected', message, {...details, applied});
  switch (stop.why) {
    case 'failed': {
      if (applied === 'no') return stop.error.with({applied});
      const changed = old && `${statementName(old)} was ${statusText(old)} when it was last read.`;
      const isSaid = nextText(stop.error.details) !== undefined;
      return stop.error.with({applied, changed, ...(!isSaid && {next: [nextCommand('Continue with', again)]})});
    }
    case 'run':
      return notOpened(stop, {old: old!, applied}, {again, account});
    case 'not_open':
      if (!old!.deleted) return refusalFor('reissue', standing!, {account, now, code: 'not_open'});
      return new CentavoError('not_found', `billing statement ${old!.id} was deleted.`, {applied: 'no'});
    case 'paid': {
      const changed = draftsText(stop);
      const why = 'Nothing was billed again.';
      const paid = refusalFor('reissue', standing!, {account, now, code: 'statement_paid', why, changed, applied});
      return stop.left.length > 0 ? paid.with({next: [nextStep('delete', stop.left, account)]}) : paid;
    }
    case 'elsewhere': {
      const {id, status} = stop.other;
      const isLeft = stop.left.length > 0;
      return rejected(
        `${statementName(stop.other)}, which ${status === 'draft' ? 'will replace' : 'replaced'} ${statementName(old!)}, is ${status === 'draft' ? 'a draft of another run' : statusText({status})}.`,
        {
          code: 'reissued_elsewhere',
          why: `${statementName(old!)} is ${statusText(old!)}. Only one replacement is ever finalized.`,
          changed: draftsText(stop),
          next: [
            status === 'draft' && !isLeft
              ? nextCommand('When the other run has ended', again)
              : nextStep(status === 'draft' ? 'delete_unused' : 'see', id, account),
          ],
        },
      );
    }
    case 'billed_twice': {
      const {id, status} = stop.replacement;
      return rejected(
        `${statementName(old!)} is paid, and ${statementName(stop.replacement)}, which replaces it, is ${statusText({status})}.`,
        {
          code: 'billed_twice',
          why: status === 'open' ? 'The customer can pay twice.' : 'The customer may have paid twice.',
          changed: '',
          next: [nextStep(status === 'open' ? 'void' : 'refund', id, account)],
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
          next: [
            both ? nextStep('void_old', old!.id, account) : nextCommand('Correct the new statement', again.with(1, id)),
          ],
        },
      );
    }
    case 'incomplete': {
      const {id, amount, status} = stop.replacement;
      const isDraft = status === 'draft';
      const which = isDraft ? `the draft ${id}` : statementName(stop.replacement);
      return rejected(`${which}, which replaces ${statementName(old!)}, comes to ${formatPesos(amount)}.`, {
        code: 'incomplete_draft',
        why: `An earlier run planned another amount. ${statementName(old!)} is ${statusText(old!)}.`,
        next: [nextStep(isDraft ? 'finalize_if_right' : 'send_if_right', id, account)],
      });
    }
  }
}

const draftsText = ({removed, left}: {readonly removed: readonly string[]; readonly left: readonly string[]}): string =>
  [draftsAre(removed, 'was deleted', 'were deleted'), draftsAre(left, 'remains', 'remain')].filter(Boolean).join(' ');

const draftsAre = ([first, ...others]: readonly string[], one: string, several: string): string | undefined =>
  first &&
  (others.length > 0 ? `The drafts ${[first, ...others].join(', ')} ${several}.` : `The draft ${first} ${one}.`);

function notOpened(
  {outcome: {stop, state}, plan}: Extract<ReissueStop, {why: 'run'}>,
  {old, applied}: {readonly old: BillingStatementData; readonly applied: ReissueStopped['applied']},
  {again, account}: Pick<ReissueCommands, 'account' | 'again'>,
): CentavoError {
  const error = explainStop(stop, state, plan, account);
  const step =
    stop.why === 'foreign' && state.uncertainCall !== 'finalize'
      ? {next: [nextStep('delete_and_repeat', state.statementId!, account)], hint: undefined}
      : stop.why === 'failed' && state.uncertainCall !== 'send' && !NOT_REPEATED.includes(error.kind)
        ? {next: [nextCommand('Continue with', again)], hint: undefined}
        : {};
  // Some exit codes promise that nothing was applied, so an applied change exits as `partial`.
  const kind = applied === 'yes' && NOTHING_APPLIED.includes(error.kind) ? 'partial' : error.kind;
  const name = statementName(old);
  const isSaid = stop.why === 'failed' && stop.at === 'void' && error.kind === 'outcome_unknown';
  const isKnown = state.uncertainCall !== 'void' && old.status !== undefined;
  const status = isKnown ? `${name} is ${statusText(old)}.` : isSaid ? '' : `${name} may be void.`;
  return new CentavoError(kind, error.message, {
    ...error.details,
    applied: error.details.applied === 'unknown' ? 'unknown' : applied,
    changed: [error.details.changed, status].filter(Boolean).join(' '),
    ...step,
  });
}
