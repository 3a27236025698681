// The end of a composite statement: its error, or the notes that go with its result.

import type {Statement} from '../../../../billing/compose/plan.js';
import {nameFor, sameAccount} from '../../../../cli/next-command.js';
import type {Context} from '../../../../context.js';
import type {Applied, CentavoError} from '../../../../ground/errors.js';
import {explainStop} from './end.js';
import {compose, type WantedStatement} from './run.js';

export async function composeOrThrow(
  context: Context,
  wanted: WantedStatement,
): Promise<{readonly statement: Statement; readonly applied: Applied}> {
  const outcome = await compose(context, wanted);
  if (outcome.end === 'stopped') throw explainStop(outcome.stop, outcome.state, wanted, sameAccount(context));
  const {statement, changed} = outcome;
  await noteDone(context, outcome);
  return {statement, applied: changed ? 'yes' : 'no'};
}

interface Done {
  readonly statement: Statement;
  readonly changed: boolean;
  readonly unread?: CentavoError;
  readonly sentBefore?: boolean;
}

/** Tells what the result does not show. */
export async function noteDone(context: Context, {statement, changed, unread, sentBefore}: Done): Promise<void> {
  const {audit, io} = context;
  if (!changed) (await audit()).unchanged();
  if (sentBefore) io.note(`${nameFor(context, statement.id)} was sent by another run. It was not sent again.`);
  if (unread)
    io.note(
      `Warning: everything was done, but the statement could not be read again: ${unread.message} The output comes from the earlier answers.`,
    );
}
