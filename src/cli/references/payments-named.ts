// Finds statements, checkout sessions and payment intents by their reference or a value of their metadata.

import {byMoney, isPayable, standingOf} from '../../accounting/standing.js';
import {STATE_WORDS} from '../../accounting/words.js';
import {statementText, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {quote} from '../../input/money.js';
import {withReadingProgress} from '../account-reads.js';
import type {ReferenceOptions} from './references.js';
import {resolveReference} from './resolve-reference.js';

/** Returns what was paid first, then what is under way, then the newest. On an API account, only sessions. */
export async function paymentsNamed(context: Context, text: string): Promise<readonly StatementLike[]> {
  if ((await context.connection()).mode === 'sandbox') return (await context.sandbox()).payablesNamed(text);
  const {metadataValuesOf, sessionPages} = await context.billing();
  const client = await context.client();
  const found: StatementLike[] = [];
  await withReadingProgress(context, 'Looking through checkout sessions', async (options) => {
    for await (const {data} of sessionPages(client, options))
      for (const each of data) {
        const values = [statementText(each.customer_reference_id), ...metadataValuesOf(each).map(([, value]) => value)];
        if (values.some((value) => value?.toLowerCase() === text.toLowerCase())) found.push(each);
      }
  });
  const now = await context.accountNow();
  return found.sort((one, other) => byMoney(standingOf(one, {}, now), standingOf(other, {}, now)));
}

/** Returns the id of the statement, session or intent that the text names; of several with a reference, the paid one. */
export async function resolvePayment(context: Context, text: string, options: ReferenceOptions): Promise<string> {
  const isSandbox = (await context.connection()).mode === 'sandbox';
  const named = isSandbox ? await paymentsNamed(context, text) : [];
  if (named.length > 0) return choosePayment(context, text, named, options);
  try {
    return await resolveReference(context, 'bstm_', text, options);
  } catch (error) {
    if (isSandbox || !(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
    const sessions = await paymentsNamed(context, text);
    if (sessions.length === 0) throw error;
    return choosePayment(context, text, sessions, options);
  }
}

const MAX_SHOWN = 4;

async function choosePayment(
  {io, accountNow}: Context,
  text: string,
  named: readonly StatementLike[],
  {changes}: ReferenceOptions,
): Promise<string> {
  const now = await accountNow();
  const standings = named.map((each) => standingOf(each, {}, now));
  const payable = changes ? standings.filter(isPayable) : [];
  const fitting = payable.length > 0 ? payable : standings;
  const {id} = fitting[0]!;
  const shown = fitting.slice(0, MAX_SHOWN).map((each) => `${each.name} (${STATE_WORDS[each.state].label})`);
  const list = `${shown.join(', ')}${fitting.length > MAX_SHOWN ? ', …' : ''}`;
  if (payable.length > 1)
    throw usageError('statement_ambiguous', `${quote(text)} names ${payable.length} open payments.`, {
      changed: 'Nothing was changed.',
      hint: `Use one of these: ${list}`,
    });
  if (fitting.length > 1) io.note(`${fitting.length} have the reference ${quote(text)}: ${list}. This is the first.`);
  return id;
}
