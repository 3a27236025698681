// Notes on a statement at a terminal: its recipient, and how to serve its sandbox link.

import {getterOf} from '../../api/registry.js';
import {
  statementCustomerOf,
  paymentLinkOf,
  statementNumberOf,
  statementSubjectOf,
  type StatementLike,
} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {oneLineText} from '../../output/format.js';

const STATEMENT = 'bstm_';

/** Milliseconds. */
const CONNECT_TIMEOUT = 5000;

/** Returns `✓ Sent REYES-0001 to Reyes Hardware <orders@reyes.example>`. Details that cannot be read are omitted. */
export async function sentLine(context: Context, id: string): Promise<string> {
  const statement = await statementOrEmpty(context, id);
  (await context.history()).setSubject(statementSubjectOf(statement));
  const {name, email} = statementCustomerOf(statement);
  const address = email && (name ? `<${email}>` : email);
  const to = [name, address].filter(Boolean).join(' ');
  const mark = context.io.plain ? '' : `${context.io.paint('green', '✓')} `;
  return `${mark}${oneLineText(`Sent ${statementNumberOf(statement) ?? id}${to && ` to ${to}`}`)}\n`;
}

async function statementOrEmpty(context: Context, id: string): Promise<StatementLike> {
  try {
    const client = await context.client();
    return (await client.perform(
      {...getterOf(STATEMENT)!, ids: [id], params: {}},
      {signal: context.signal, timeout: CONNECT_TIMEOUT},
    )) as StatementLike;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return {};
  }
}

/** Prints the command that serves the sandbox, if the statement's link needs it. */
export async function noteServing({connection, io, sandbox}: Context, statement: StatementLike): Promise<void> {
  if (!io.stdoutIsTerminal || paymentLinkOf(statement) === undefined || (await connection()).mode !== 'sandbox') return;
  if (await (await sandbox()).servedStudio()) return;
  io.note('The link works while this command runs in another terminal: centavo sandbox serve', {style: 'dim'});
}
