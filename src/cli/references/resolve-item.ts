// Finds a line item of a draft by its number or description: `JEEPNEY-0002#2`, `JEEPNEY-0002#Hosting`.

import {statementName, statementSubjectOf} from '../../api/statement.js';
import type {ExistingItem, BillingStatementData} from '../../billing/statement/plan.js';
import type {Context} from '../../context/context.js';
import {usageError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {quote} from '../../input/money.js';
import {normalizeName} from '../../input/names.js';
import {oneLineText} from '../../output/format.js';
import {accountArgs, nextStep} from '../next-steps.js';
import {refusalOf} from '../presentation/standings.js';
import {partsOfItem, type Reference} from './references.js';

const MAX_NAMED_ITEMS = 4;

export async function findItems(
  context: Context,
  references: readonly Reference[],
  findStatement: (name: string) => Promise<string>,
): Promise<string[]> {
  const statements = new Map<string, BillingStatementData>();
  const ids: string[] = [];
  for (const {kind, text} of references) {
    if (kind !== 'item') {
      ids.push(text);
      continue;
    }
    const [name, wanted] = partsOfItem(text);
    const statement = statements.get(name) ?? (await readDraft(context, await findStatement(name)));
    statements.set(name, statement);
    ids.push(await findItem(context, statement, wanted));
  }
  return ids;
}

async function readDraft(context: Context, id: string): Promise<BillingStatementData> {
  const client = await context.client();
  const statement = (await client.billingStatements.get(id, {signal: context.signal})) as BillingStatementData;
  if (statement.status === 'draft') return statement;
  throw await refusalOf(context, 'edit', statement, {code: 'not_a_draft'});
}

async function findItem(context: Context, statement: BillingStatementData, wanted: string): Promise<string> {
  const {itemsOf} = await context.billing();
  const items = itemsOf(statement);
  const matches = items.filter(
    (item, index) => String(index + 1) === wanted || normalizeName(item.description) === normalizeName(wanted),
  );
  const [first] = matches;
  const name = statementName(statement);
  if (first && matches.length === 1) {
    context.io.note(`${name} ${listedItems(matches, items)}`, {style: 'dim'});
    context.subjects.set(first.id, statementSubjectOf(statement));
    return first.id;
  }
  if (!first)
    throw usageError('item_not_found', `${name} has no item ${/^\d+$/.test(wanted) ? wanted : quote(wanted)}.`, {
      why: items.length === 0 ? 'It has no items.' : `It has ${listedItems(items, items)}.`,
      changed: 'Nothing was changed.',
      next: [nextStep('see', name, accountArgs(context))],
    });
  throw usageError('item_ambiguous', `${name} has ${matches.length} items ${quote(wanted)}.`, {
    candidates: matches.map(({id, description}) => ({id, name: description})),
    changed: 'Nothing was changed.',
    hint: `Use its number: ${listedItems(matches, items)}.`,
  });
}

/** `#1 Web design (₱1,500.00), #2 Hosting (₱1,250.00)` */
function listedItems(shown: readonly ExistingItem[], all: readonly ExistingItem[]): string {
  const words = shown
    .slice(0, MAX_NAMED_ITEMS)
    .map(
      (item) =>
        `#${all.indexOf(item) + 1} ${oneLineText(item.description)} (${formatPesos(item.unit_price * item.quantity)})`,
    );
  const more = shown.length - words.length;
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
