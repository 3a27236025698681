// Prints lists: one page or several, totals, and the command for the next page.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import type {MoneyState, Standing} from '../../accounting/standing.js';
import {statementNumberOf} from '../../api/statement.js';
import type {ListEnvelope} from '../../api/wire.js';
import type {PaymentReceipt, ReceiptReader} from '../../billing/reports/receipts.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {Pages} from '../../client/pages.js';
import type {Context} from '../../context/context.js';
import {formatPesos} from '../../common/pesos.js';
import type {DescribedCall} from '../../guard/describe-change.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {isStatementNumber} from '../../input/names.js';
import {shellQuote} from '../../common/next-text.js';
import {readWholeNumber} from '../../input/quantities.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import {isForPeople} from '../../output/render.js';
import type {Rendering, CommandResult} from '../../output/result.js';
import {printCalls} from '../dry-run.js';
import type {GlobalFlags} from '../global-flags.js';
import {addStandings} from '../base.js';
import {asksForPayment, apiResultOf, displayedObject} from '../presentation/results.js';
import type * as ListByPayment from './list-by-payment.js';
import type {ListFilter} from './list-filters.js';
import type {ListFlags} from './list-flags.js';
import {suggestNextPage} from './suggest-next-page.js';

export interface ListedItem {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface ListCall extends DescribedCall {
  readonly context: Context;
  readonly flags: GlobalFlags & ListFlags;
  /** Applied by centavo, not by the API. */
  readonly filter: ListFilter | undefined;
  /** Words as typed, for the next command. */
  readonly argv: readonly string[];
  readonly rendering: Rendering;
  readonly print: (result: CommandResult) => Promise<void>;
  readonly reader?: ReceiptReader;
  readonly byPayment?: typeof ListByPayment;
}

const FILTERED_LIMIT = 20;

interface ListPlan extends ListCall {
  /** Maximum number of objects to print; undefined for one page of the API. */
  readonly maxItems: number | undefined;
  /** True with a filter, or if one page of the API is too small. */
  readonly readsSeveralPages: boolean;
  /** True to print each page when it arrives: long lists as JSON lines or CSV. */
  readonly streams: boolean;
  readonly receipts: Map<string, PaymentReceipt>;
  /** Standings of the statements paid in the period, and of paid ones without an amount, which are left out. */
  readonly received: Standing[];
}

/** A part of a list. `cutAfter` is the last printed object if more objects follow. */
interface ListPart {
  readonly items: readonly ListedItem[];
  readonly cutAfter?: ListedItem;
}

export async function runList(call: ListCall): Promise<void> {
  const {context, registered, flags, filter, rendering} = call;
  const {shape} = registered.operation.returns;
  const needsReceipts = shape.name === 'billing_statement' && (filter?.paid || asksForPayment(rendering.fields));
  if (!needsReceipts || flags['dry-run']) return printList(planList(call));
  const {withReceipts} = await import('../account-reads.js');
  const byPayment = filter?.paid && (await import('./list-by-payment.js'));
  return withReceipts(context, ({receipts}) => printList(planList({...call, reader: receipts, byPayment})));
}

function planList(call: ListCall): ListPlan {
  const {context, flags, filter, rendering} = call;
  const limit =
    flags.limit === undefined
      ? undefined
      : valueOrThrow(readWholeNumber(flags.limit, {from: 1, hint: 'To list everything: --all'}), '--limit');
  const maxItems = flags.all ? Infinity : (limit ?? (filter && FILTERED_LIMIT));
  const readsSeveralPages = filter !== undefined || (maxItems !== undefined && maxItems > MAXIMUM_PAGE);
  const isLong = flags.all === true || (readsSeveralPages && !context.io.stdoutIsTerminal);
  return {
    ...call,
    params: {
      ...call.params,
      ...((readsSeveralPages || limit !== undefined) && {limit: readsSeveralPages ? MAXIMUM_PAGE : limit}),
    },
    maxItems,
    readsSeveralPages,
    streams: isLong && rendering.jq === undefined && (rendering.format === 'jsonl' || rendering.format === 'csv'),
    receipts: new Map(),
    received: [],
  };
}

async function printList(plan: ListPlan): Promise<void> {
  const {context, registered, ids, params, flags, rendering} = plan;
  if (flags['dry-run'])
    return printCalls(context, {rendering, curl: flags.output === 'curl'}, [{...registered, ids, params}]);
  const client = await context.client();
  const pages = client.perform({...registered, ids, params}, {signal: context.signal}) as Pages<ListedItem>;
  return plan.streams ? streamList(plan, pages) : printPage(plan, pages);
}

const resultOfPage = ({registered, filter, receipts}: ListPlan, page: ListEnvelope<ListedItem>): CommandResult =>
  apiResultOf(registered.operation.returns.shape, page.data, page, 'many', {
    receipts,
    isPaid: filter?.paid !== undefined,
  });

async function streamList(plan: ListPlan, pages: Pages<ListedItem>): Promise<void> {
  let cutAfter: ListedItem | undefined;
  const result = (data: readonly ListedItem[]) =>
    addStandings(plan.context, resultOfPage(plan, {resource: 'list', has_more: false, data}), plan.rendering);
  async function* itemsOf(): AsyncGenerator<readonly ListedItem[]> {
    for await (const part of firstItems(plan, pages)) {
      cutAfter = part.cutAfter;
      yield part.items;
    }
  }
  await renderList(itemsOf(), result, plan.rendering, untilStopped(plan.context));
  await plan.byPayment?.noteGaps(plan.context, plan.received);
  if (cutAfter) await noteNext(plan, cutAfter);
}

async function printPage(plan: ListPlan, pages: Pages<ListedItem>): Promise<void> {
  const {context, flags, params, readsSeveralPages, print, byPayment, received} = plan;
  const page = readsSeveralPages ? await wholeList(plan, pages) : {...(await pages), cutAfter: undefined};
  const {cutAfter, ...envelope} = page;
  if (!readsSeveralPages) await readReceipts(plan, envelope.data);
  const document = (await byPayment?.documentOf(context, received, envelope)) ?? envelope;
  await print({...resultOfPage(plan, envelope), document, below: await totalsBelow(plan, envelope)});
  if (envelope.data.length === 0 && flags.status === 'paid' && flags.since !== undefined)
    context.io.note(
      `--since filters by creation date. To filter by payment date: centavo paid --since ${shellQuote(flags.since)}`,
    );
  await byPayment?.noteGaps(context, received);
  const next = cutAfter ?? envelope.data.at(params.before === undefined ? -1 : 0);
  if (envelope.has_more && next !== undefined) await noteNext(plan, next);
}

/** States in the order of the totals, with other words than in a column. The other states follow. */
const TOTAL_WORDS: Partial<Record<MoneyState, string>> = {
  overdue: 'overdue',
  open: 'not yet due',
  approving: 'not yet due',
  draft: 'in drafts',
  paid: 'paid',
};

/** Returns `7 billing statements: ₱200,450.00 overdue, ₱96,000.00 paid`; empty for one object or unknown amounts. */
async function totalsBelow(
  plan: ListPlan,
  {data: rows, has_more: isPart}: ListEnvelope<ListedItem>,
): Promise<string[] | undefined> {
  const {fields, title} = plan.registered.operation.returns.shape;
  if (!isForPeople(plan.rendering, plan.context.io) || !('amount' in fields)) return undefined;
  if (rows.length < 2) return [];
  const standings = await standingsIn(plan, rows);
  const amounts = rows.map(({amount}) => amount);
  if (!amounts.every((amount): amount is number => Number.isSafeInteger(amount))) return [];
  const {STATE_WORDS} = await import('../../accounting/words.js');
  const wordsOf = (state: MoneyState): string => TOTAL_WORDS[state] ?? STATE_WORDS[state].label;
  const order = [TOTAL_WORDS, STATE_WORDS].flatMap((words) => Object.keys(words) as MoneyState[]).map(wordsOf);
  const sums = new Map<string, bigint>();
  for (const [index, {id}] of rows.entries()) {
    const standing = standings.get(id);
    const words = standing ? wordsOf(standing.state) : 'in all';
    sums.set(words, (sums.get(words) ?? 0n) + BigInt(amounts[index]!));
  }
  const parts = [...sums].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const words = parts.map(([words, sum]) => `${formatPesos(sum)} ${words}`);
  return [`${isPart ? `Of the ${rows.length} shown` : `${rows.length} ${title}s`}: ${words.join(', ')}`];
}

/** Returns what happened to the money of listed statements, by id; empty for other objects. */
async function standingsIn(
  {context, registered, receipts}: ListPlan,
  items: readonly ListedItem[],
): Promise<ReadonlyMap<string, Standing>> {
  const {shape} = registered.operation.returns;
  if (shape.name !== 'billing_statement') return new Map();
  const {standingsOf} = await import('../presentation/standings.js');
  return standingsOf(
    context,
    items.map((item) => displayedObject(shape, item, receipts)),
  );
}

async function wholeList(
  plan: ListPlan,
  pages: Pages<ListedItem>,
): Promise<ListEnvelope<ListedItem> & Pick<ListPart, 'cutAfter'>> {
  const data: ListedItem[] = [];
  let cutAfter: ListedItem | undefined;
  for await (const part of firstItems(plan, pages)) {
    data.push(...part.items);
    cutAfter = part.cutAfter;
  }
  return {resource: 'list', has_more: cutAfter !== undefined, data, cutAfter};
}

/** Reads receipts into the plan. @returns the objects paid or settled in the filter's period; all without a period */
async function readReceipts(plan: ListPlan, items: readonly ListedItem[]): Promise<readonly ListedItem[]> {
  const {reader, filter, context, receipts, byPayment, received} = plan;
  if (!reader) return items;
  const {mapWithLimit} = await context.billing();
  const {isPaid} = await import('../presentation/standings.js');
  const paid = items.filter(isPaid) as readonly unknown[] as readonly BillingStatementData[];
  await mapWithLimit(paid, async (statement) => receipts.set(statement.id, await reader.receiptOf(statement)));
  return filter?.paid && byPayment
    ? byPayment.paidIn(filter.paid, items, await standingsIn(plan, items), received)
    : items;
}

/** Yields the first matching objects after the cursor, page by page. Only the last part says whether more follow. */
async function* firstItems(plan: ListPlan, pages: Pages<ListedItem>): AsyncGenerator<ListPart> {
  const {
    context: {io},
    registered,
    params,
    filter,
    maxItems = Infinity,
  } = plan;
  const {title} = registered.operation.returns.shape;
  const backwards = params.before !== undefined;
  let [remaining, count] = [maxItems, 0];
  let last: ListedItem | undefined;
  try {
    for await (const {data, has_more: hasMore} of pages.pages()) {
      const standings = filter && (await standingsIn(plan, data));
      const kept = filter ? data.filter((item) => filter.keeps(item, standings!.get(item.id))) : data;
      const page = filter?.paid ? await readReceipts(plan, kept) : kept;
      if (remaining === 0 && page.length > 0) return yield {items: [], cutAfter: last};
      const items = backwards ? page.slice(-remaining) : page.slice(0, remaining);
      if (!filter?.paid) await readReceipts(plan, items);
      remaining -= items.length;
      last = items.at(backwards ? 0 : -1) ?? last;
      // With a filter, only a later page shows whether more objects match.
      const isCut = page.length > items.length || (remaining === 0 && hasMore && !filter);
      yield {items, ...(isCut && {cutAfter: last})};
      if (isCut || filter?.ends(data, backwards)) return;
      count += data.length;
      if (filter) io.progress(`Looking through ${title}s: ${count.toLocaleString('en')}`);
    }
  } finally {
    io.progress(undefined);
  }
}

/** Prints the command for the next page: the typed words with this object as the cursor. */
async function noteNext({context, registered, argv, params, rendering}: ListCall, item: ListedItem): Promise<void> {
  const {io} = context;
  const cursor = (io.stdoutIsTerminal && (await numberOfStatement(context, item))) || item.id;
  const added = [params.before === undefined ? '--after' : '--before', cursor];
  suggestNextPage({io, rendering}, [...registered.id.split(':'), ...argv], /after|before/, added);
}

/** Returns a billing statement's number if the cache stored it, so that the next command finds it directly. */
async function numberOfStatement(context: Context, item: ListedItem): Promise<string | undefined> {
  if (item.resource !== 'billing_statement') return undefined;
  const number = statementNumberOf(item);
  if (number === undefined || !isStatementNumber(number)) return undefined;
  const {rememberNumbers} = await import('../references/resolve-reference.js');
  return (await rememberNumbers(context, new Map([[number, item.id]]))) ? number : undefined;
}
