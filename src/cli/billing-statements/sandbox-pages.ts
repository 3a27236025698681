// The payment pages of the sandbox answer only while it is served: a person who is shown a link is told so.

import {linkOf, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context.js';

/** Notes at a terminal, for a statement whose link was shown, which command serves the page behind it. */
export async function noteServing({connection, io}: Context, statement: StatementLike): Promise<void> {
  if (!io.stdoutIsTerminal || linkOf(statement) === undefined || (await connection()).mode !== 'sandbox') return;
  io.note('The link works while this runs in another terminal: centavo sandbox serve', {style: 'dim'});
}
