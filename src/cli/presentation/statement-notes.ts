// Notes on a statement at a terminal: its recipient, and how to serve its sandbox link.

import {inProject} from '../next-steps.js';
import {getterOf} from '../../api/registry.js';
import {statementCustomerOf, paymentLinkOf, statementName, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {oneLineText} from '../../output/format.js';

type NamedStatement = StatementLike & {readonly id: string};

/** Milliseconds. */
const READ_TIMEOUT = 5000;

/** Reads a statement after its send. Returns it as it was known before if it cannot be read, or the read is older. */
export async function readSent(context: Context, known: NamedStatement): Promise<NamedStatement> {
  const call = {...getterOf('bstm_')!, ids: [known.id], params: {}};
  try {
    const client = await context.client();
    const read = (await client.perform(call, {signal: context.signal, timeout: READ_TIMEOUT})) as NamedStatement;
    return Number(read.updated_at) < Number(known.updated_at) ? known : read;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    context.io.note(`${statementName(known)} was sent, but could not be read afterwards: ${error.message}`, {
      warns: true,
    });
    return {resource: 'billing_statement', ...known};
  }
}

/** Returns `✓ Sent REYES-0001 to Reyes Hardware <orders@reyes.example>`. Unknown details are omitted. */
export function sentLine({io}: Context, statement: NamedStatement): string {
  const {name, email} = statementCustomerOf(statement);
  const address = email && (name ? `<${email}>` : email);
  const to = [name, address].filter(Boolean).join(' ');
  const mark = io.plain ? '' : `${io.paint('green', '✓')} `;
  return `${mark}${oneLineText(`Sent ${statementName(statement)}${to && ` to ${to}`}`)}\n`;
}

/** Prints the command that serves the sandbox, if the statement's link needs it. */
export async function noteServing(context: Context, statement: StatementLike): Promise<void> {
  const {connection, io, sandbox} = context;
  if (!io.stdoutIsTerminal || paymentLinkOf(statement) === undefined || (await connection()).mode !== 'sandbox') return;
  if (await (await sandbox()).servedStudio()) return;
  const command = inProject(context, 'centavo sandbox serve');
  io.note(`The link works while this command runs in another terminal: ${command}`, {style: 'dim'});
}
