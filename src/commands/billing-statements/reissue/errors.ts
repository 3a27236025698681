// Errors of a reissue that stopped early: what became of the old statement and of the new one, and the next command.

import {statementName} from '../../../api/statement.js';
import type {Statement} from '../../../billing/compose/plan.js';
import type {ReissueState, ReissueStop} from '../../../billing/reissue/reissue-outcome.js';
import {CentavoError, type ErrorDetails, type ErrorKind} from '../../../ground/errors.js';
import {formatPesos} from '../../../ground/pesos.js';
import {explainStop, NOT_REPEATED, NOTHING_APPLIED} from '../shared/compose/end.js';
import {stepWords} from '../shared/compose/run.js';

export interface ReissueCommands {
  /** The same command once more. */
  readonly again: string;
  /** The flags of the account that it is about. */
  readonly account: string;
}

export function explainReissue(stop: ReissueStop, state: ReissueState, commands: ReissueCommands): CentavoError {
  const {old, applied} = state;
  const {account} = commands;
  const rejected = (message: string, details: ErrorDetails): CentavoError =>
    new CentavoError('rejected', message, {...details, applied});
  switch (stop.why) {
    case 'failed':
      return failed(stop, state, commands);
    case 'compose':
      return notComposed(stop, state, commands);
    case 'not_open':
      return notOpen(old!, account);
    case 'paid': {
      const {removed, left} = stop;
      const gone = removed.length > 0 && `The draft ${removed.join(', ')} was deleted.`;
      const kept = left.length > 0 && `The draft ${left.join(', ')} is left.`;
      return rejected(`${statementName(stop.old)} is paid.`, {
        code: 'statement_paid',
        why: 'Only an open statement can be reissued. Nothing was billed again.',
        changed: [gone, kept].filter(Boolean).join(' '),
        hint:
          left.length > 0
            ? `Delete it: centavo billing-statements delete ${left.join(' ')}${account}`
            : `See it: centavo billing-statements get ${stop.old.id}${account}`,
      });
    }
    case 'billed_twice': {
      const {id, status} = stop.replacement;
      return rejected(
        `${statementName(old!)} is paid, and ${statementName(stop.replacement)}, which replaces it, is ${status}.`,
        {
          code: 'billed_twice',
          why: status === 'open' ? 'The customer can pay twice.' : 'The customer may have paid twice.',
          changed: '',
          hint:
            status === 'open'
              ? `Void it: centavo billing-statements void ${id}${account}`
              : `Refund it: centavo refunds create --statement ${id}${account}`,
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
            ? `Void the old one: centavo billing-statements void ${old!.id}${account}`
            : `Correct the new one: ${commands.again.replace(/(?<=billing-statements reissue )\S+/, id)}`,
        },
      );
    }
    case 'incomplete': {
      const {id, amount} = stop.replacement;
      return rejected(`the draft ${id}, which replaces ${statementName(old!)}, comes to ${formatPesos(amount)}.`, {
        code: 'incomplete_draft',
        why: `An earlier run wanted another amount. ${statementName(old!)} is ${old!.status}.`,
        hint: `If it is right: centavo billing-statements finalize ${id}${account}`,
      });
    }
  }
}

/** What is known of both, in a sentence each. */
function stateWords({old, draft, inDoubt}: ReissueState): string {
  const name = old && statementName(old);
  return [
    name && (inDoubt === 'void' ? `It is not known whether ${name} was voided.` : `${name} is ${old.status}.`),
    draft !== undefined && `The new draft ${draft} was not finalized.`,
  ]
    .filter(Boolean)
    .join(' ');
}

type Stopped<Why extends ReissueStop['why']> = Extract<ReissueStop, {why: Why}>;

function failed({error, at}: Stopped<'failed'>, state: ReissueState, {again}: ReissueCommands): CentavoError {
  const {applied, inDoubt} = state;
  if (at === 'read' && applied === 'no') return error.with({applied});
  const kind = inDoubt && error.kind !== 'interrupted' ? 'outcome_unknown' : error.kind;
  return new CentavoError(kindWith(kind, state), `${error.message.replace(/\.$/, '')}, while ${stepWords(at)}.`, {
    ...error.details,
    ...(kind !== error.kind && {code: kind}),
    applied,
    changed: stateWords(state),
    hint: error.details.hint ?? `Continue with: ${again}`,
  });
}

/** Some exit codes promise that nothing was applied. */
const kindWith = (kind: ErrorKind, {applied}: ReissueState): ErrorKind =>
  applied === 'yes' && NOTHING_APPLIED.includes(kind) ? 'partial' : kind;

function notComposed(
  {outcome, plan}: Stopped<'compose'>,
  state: ReissueState,
  {again, account}: ReissueCommands,
): CentavoError {
  const {stop} = outcome;
  const error = explainStop(stop, outcome.state, plan, account);
  const {old, applied} = state;
  const hint =
    stop.why === 'foreign'
      ? `Delete the draft, and run the same command again: centavo billing-statements delete ${outcome.state.statementId}${account}`
      : stop.why === 'failed' && outcome.state.inDoubt !== 'send' && !NOT_REPEATED.includes(error.kind)
        ? `Continue with: ${again}`
        : error.details.hint;
  return new CentavoError(kindWith(error.kind, state), error.message, {
    ...error.details,
    applied: error.details.applied === 'unknown' ? 'unknown' : applied,
    changed: [error.details.changed, `${statementName(old!)} is ${old!.status}.`].filter(Boolean).join(' '),
    hint,
  });
}

function notOpen(old: Statement, account: string): CentavoError {
  const {id, deleted, status} = old;
  if (deleted) return new CentavoError('not_found', `billing statement ${id} was deleted.`, {applied: 'no'});
  const isDraft = status === 'draft';
  return new CentavoError('rejected', `${statementName(old)} is ${isDraft ? 'a draft' : status}.`, {
    code: 'not_open',
    why: isDraft
      ? 'Only an open statement is reissued; a draft can still be changed.'
      : 'There is nothing to reissue any more.',
    hint: isDraft
      ? `See it: centavo billing-statements get ${id}${account}`
      : `Bill the same again: centavo billing-statements duplicate ${id} --due +14d${account}`,
    applied: 'no',
  });
}
