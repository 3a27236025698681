// Who was sent a statement, for a person at a terminal.

import {getterOf} from '../../../api/registry.js';
import {customerOf, numberOf, subjectOf, type StatementLike} from '../../../api/statement.js';
import type {Context} from '../../../context.js';
import {CentavoError} from '../../../errors.js';
import {clean} from '../../../output/format.js';

const STATEMENT = 'bstm_';
/** Milliseconds. */
const PATIENCE = 5000;

/** `✓ Sent REYES-0001 to Reyes Hardware <orders@reyes.example>`: as much of it as can be read. It was sent in any case. */
export async function sentLine(context: Context, id: string): Promise<string> {
  const statement = await readStatement(context, id);
  (await context.audit()).about(subjectOf(statement));
  const {name, email} = customerOf(statement);
  const address = email && (name ? `<${email}>` : email);
  const to = [name, address].filter(Boolean).join(' ');
  const mark = context.io.paint('green', '✓');
  return `${mark} ${clean(`Sent ${numberOf(statement) ?? id}${to && ` to ${to}`}`)}\n`;
}

/** The statement, or an empty one where it cannot be read. */
async function readStatement(context: Context, id: string): Promise<StatementLike> {
  try {
    const client = await context.client();
    return (await client.perform(
      {...getterOf(STATEMENT)!, ids: [id], params: {}},
      {signal: context.signal, timeout: PATIENCE},
    )) as StatementLike;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return {};
  }
}
