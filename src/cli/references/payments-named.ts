// Finds statements, checkout sessions and payment intents by their reference or a value of their metadata.

import {isPayable, moneyRank, standingOf, type Standing} from '../../accounting/standing.js';
import {STATE_WORDS} from '../../accounting/words.js';
import {statementText, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {quote} from '../../input/money.js';
import {lookOf} from '../../input/own-numbers.js';
import {withReadingProgress} from '../account-reads.js';
import type {ReferenceOptions} from './references.js';
import {resolveReference} from './resolve-reference.js';

/** Returns the newest first. On an API account, only sessions. */
export async function paymentsNamed(context: Context, text: string): Promise<readonly StatementLike[]> {
  if ((await context.connection()).mode === 'sandbox') return (await context.sandbox()).payablesNamed(text);
  const {metadataValuesOf, sessionPages} = await context.billing();
  const client = await context.client();
  const isNamed = (each: StatementLike): boolean =>
    [statementText(each.customer_reference_id), ...metadataValuesOf(each).map(([, value]) => value)].some(
      (value) => value !== undefined && lookOf(value) === lookOf(text),
    );
  const found: StatementLike[] = [];
  await withReadingProgress(context, 'Looking through checkout sessions', async (options) => {
    for await (const {data} of sessionPages(client, options)) found.push(...data.filter(isNamed));
  });
  return found;
}

/** Matches the prefix of an id; other text may be a reference. */
const OTHER_ID = /^(?:cs|pi|pay)_(?=[A-Za-z0-9]+…?$)/;

/**
 * Returns the id of the statement that the text names, as every change finds it, or else of a session or intent with this
 * reference: of several, the paid one. The id of a session, intent or payment may be cut.
 */
export async function resolvePayment(context: Context, text: string, options: ReferenceOptions): Promise<string> {
  const [prefix] = OTHER_ID.exec(text) ?? [];
  if (prefix !== undefined) return resolveReference(context, prefix, text, options);
  let named: readonly StatementLike[] = [];
  try {
    return await resolveReference(context, 'bstm_', text, {...options, alsoPayments: true});
  } catch (error) {
    if (!(error instanceof CentavoError) || !(error.kind === 'not_found' || error.code === 'invalid_id')) throw error;
    named = await paymentsNamed(context, text);
    if (named.length === 0) throw error;
  }
  const now = await context.accountNow();
  const standings = named
    .map((each) => standingOf(each, {}, now))
    .sort((one, other) => moneyRank(one) - moneyRank(other));
  const open = options.changes ? standings.filter(isPayable) : [];
  if (open.length > 1)
    throw usageError('statement_ambiguous', `${quote(text)} names ${open.length} open payments.`, {
      candidates: open.map(({id, name}) => ({id, name})),
      changed: 'Nothing was changed.',
      hint: `Use one of these: ${listed(open)}`,
    });
  const [{id}] = (open.length > 0 ? open : standings) as [Standing];
  if (open.length === 0 && standings.length > 1)
    context.io.note(`${named.length} have the reference ${quote(text)}: ${listed(standings)}. This is the first.`);
  return id;
}

/** `cs_4Vt9 (paid), cs_5Ls8 (open)` */
const listed = (standings: readonly Standing[]): string =>
  [
    ...standings.slice(0, 4).map(({name, state}) => `${name} (${STATE_WORDS[state].label})`),
    ...(standings[4] ? ['…'] : []),
  ].join(', ');
