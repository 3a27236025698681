// Lists: one page as the API returns it, or as many as were asked for, and the command for the next page.

import type {Context} from '../../context.js';
import {MAXIMUM_PAGE} from '../../api/fields.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {numberOf} from '../../api/statement.js';
import type {ListEnvelope} from '../../api/wire.js';
import type {Pages} from '../../client/pages.js';
import {quote} from '../../input/money.js';
import {parseWholeNumber} from '../../input/numbers.js';
import {isStatementNumber} from '../../input/statement-number.js';
import {isMachine} from '../../output/render.js';
import type {Rendering, Result} from '../../output/result.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import type {GlobalFlags} from '../global-flags.js';
import {resultOf} from '../columns.js';
import {printRequests} from '../dry-run.js';
import type {Filter} from './list-filters.js';
import type {ListFlags} from './list-flags.js';
import {noteMore} from './note-more.js';

interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface ListCall {
  readonly context: Context;
  readonly registered: RegisteredOperation;
  readonly ids: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly flags: GlobalFlags & ListFlags;
  /** What is sorted out here. */
  readonly filter: Filter | undefined;
  /** As typed, for the next command. */
  readonly argv: readonly string[];
  readonly rendering: Rendering;
  readonly print: (result: Result) => Promise<void>;
}

/** The default limit of a list that is filtered here. */
const NARROWED_LIMIT = 20;

export async function listItems(call: ListCall): Promise<unknown> {
  const {context, registered, ids, flags, filter, rendering, print} = call;
  const limit = readLimit(flags.limit);
  const narrowed = filter !== undefined;
  const wanted = flags.all ? Infinity : (limit ?? (narrowed ? NARROWED_LIMIT : undefined));
  const walks = narrowed || (wanted !== undefined && wanted > MAXIMUM_PAGE);
  const params = {...call.params, ...((walks || limit !== undefined) && {limit: walks ? MAXIMUM_PAGE : limit})};
  if (flags['dry-run']) {
    const requestBuilder = await context.requestBuilder();
    return printRequests(context, await context.connection(), {rendering, curl: flags.output === 'curl'}, [
      requestBuilder.requestOf({...registered, ids, params}),
    ]);
  }
  const client = await context.client();
  const pages = client.perform({...registered, ids, params}, {signal: context.signal}) as Pages<Item>;
  const {shape} = registered.operation.returns;
  const show = async (page: ListEnvelope<Item>) =>
    print({...resultOf(shape, page.data, page, 'many'), below: await totalsBelow(call, page)});

  let last: Item | undefined;
  const items = () => firstOf(call, pages, wanted!, (item) => (last = item));
  const isLong = flags.all || (walks && !context.io.stdoutIsTerminal);
  if (isLong && rendering.jq === undefined && (rendering.format === 'jsonl' || rendering.format === 'csv')) {
    const result = (data: readonly Item[]) => resultOf(shape, data, {resource: 'list', has_more: false, data}, 'many');
    await renderList(items(), result, rendering, untilStopped(context));
    return last && noteNext(call, last);
  }
  const page = walks ? await whole(items(), () => last !== undefined) : await pages;
  if (page.data.length === 0 && mayBePart(call)) return listItems(await withPart(call));
  await show(page);
  const next = last ?? page.data.at(call.params.before === undefined ? -1 : 0);
  if (page.has_more && next !== undefined) await noteNext(call, next);
  return page;
}

/** Whether the name that no customer has may be a part of one: for people. A program gets what the API answers. */
const mayBePart = ({registered, params, rendering}: ListCall): boolean =>
  registered.resource.topic === 'customers' &&
  typeof params.name === 'string' &&
  !isMachine(rendering) &&
  rendering.format !== 'csv';

/** The list of the customers with this part in their names: all of them are looked at. */
async function withPart(call: ListCall): Promise<ListCall> {
  const {fitsName} = await import('../../input/names.js');
  const {name, ...params} = call.params;
  const {filter} = call;
  const typed = String(name);
  call.context.io.note(`No customer is called exactly ${quote(typed)}. Looking for it in all names.`);
  return {
    ...call,
    params,
    filter: {
      keeps: (item) => fitsName(String(item.name), typed) && (filter?.keeps(item) ?? true),
      ends: (page, backwards) => filter?.ends(page, backwards) ?? false,
    },
  };
}

/** Totals are for people: a program adds up what it needs. */
async function totalsBelow({context, registered}: ListCall, page: ListEnvelope<Item>): Promise<string[] | undefined> {
  if (!context.io.stdoutIsTerminal) return undefined;
  const {totalsOf} = await import('./list-totals.js');
  const {settlementsOf} = await import('../billing-statements/settled.js');
  const settled = await settlementsOf(context, page.data);
  return totalsOf(registered.operation.returns.shape, page.data, {
    isPart: page.has_more,
    now: context.shownAt(),
    settled,
  });
}

/** @throws CentavoError kind `usage` */
function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return parseWholeNumber(text, '--limit', {from: 1, hint: 'To list everything: --all'});
}

/** The pages as one, which says whether there are more. */
async function whole(pages: AsyncIterable<readonly Item[]>, isCut: () => boolean): Promise<ListEnvelope<Item>> {
  const data: Item[] = [];
  for await (const page of pages) data.push(...page);
  return {resource: 'list', has_more: isCut(), data};
}

/** The first objects behind the cursor. @param wanted how many @param cut is told the last of them if there are more */
async function* firstOf(
  call: ListCall,
  pages: Pages<Item>,
  wanted: number,
  cut: (last: Item) => void,
): AsyncGenerator<readonly Item[]> {
  const backwards = call.params.before !== undefined;
  let left = wanted;
  let last: Item | undefined;
  for await (const {wanted: page, hasMore} of itemsOf(call, pages)) {
    if (left === 0 && page.length > 0) return cut(last!);
    const some = backwards ? page.slice(-left) : page.slice(0, left);
    yield some;
    left -= some.length;
    last = some.at(backwards ? 0 : -1) ?? last;
    // With a filter only the next pages tell whether there are more.
    if (page.length > some.length || (left === 0 && hasMore && !call.filter)) return cut(last!);
  }
}

/** The wanted objects of each page. Where many are looked at, a person at a terminal is shown how far it is. */
async function* itemsOf(
  {context: {io}, registered, params, filter}: ListCall,
  pages: Pages<Item>,
): AsyncGenerator<{readonly wanted: readonly Item[]; readonly hasMore: boolean}> {
  const {title} = registered.operation.returns.shape;
  let count = 0;
  try {
    for await (const {data, has_more: hasMore} of pages.pages()) {
      yield {wanted: filter ? data.filter(filter.keeps) : data, hasMore};
      if (filter?.ends(data, params.before !== undefined)) return;
      count += data.length;
      if (filter) io.progress(`Looking through ${title}s: ${count.toLocaleString('en')}`);
    }
  } finally {
    io.progress(undefined);
  }
}

/** Notes the command for the page behind this object: what was typed, with the next cursor. */
async function noteNext({context, registered, argv, params, rendering}: ListCall, item: Item): Promise<void> {
  const {io} = context;
  const cursor = (io.stdoutIsTerminal && (await numberOfStatement(context, item))) || item.id;
  const added = [params.before === undefined ? '--after' : '--before', cursor];
  noteMore({io, rendering}, [...registered.id.split(':'), ...argv], /after|before/, added);
}

/** The number of a billing statement, if it is remembered: the cursor may be far down the list. */
async function numberOfStatement(context: Context, item: Item): Promise<string | undefined> {
  if (item.resource !== 'billing_statement') return undefined;
  const number = numberOf(item);
  if (number === undefined || !isStatementNumber(number)) return undefined;
  const {rememberNumbers} = await import('../references/find-statements.js');
  return (await rememberNumbers(context, new Map([[number, item.id]]))) ? number : undefined;
}
