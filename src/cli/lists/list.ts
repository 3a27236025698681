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
import {shellQuote} from '../../input/shell-words.js';

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

  const isLong = flags.all || (walks && !context.io.stdoutIsTerminal);
  if (isLong && rendering.jq === undefined && (rendering.format === 'jsonl' || rendering.format === 'csv')) {
    const items = firstOf(itemsOf(call, pages), wanted!);
    const result = (data: readonly Item[]) => resultOf(shape, data, {resource: 'list', has_more: false, data}, 'many');
    return renderList(items, result, rendering, untilStopped(context));
  }
  const page = walks ? await walk(itemsOf(call, pages), wanted!) : await pages;
  if (page.data.length === 0 && mayBePart(call)) return listItems(await withPart(call));
  await show(page);
  if (page.has_more && page.data.length > 0) await noteNext(call, page);
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
  return totalsOf(registered.operation.returns.shape, page.data, {isPart: page.has_more, now: context.now(), settled});
}

/** @throws CentavoError kind `usage` */
function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return parseWholeNumber(text, '--limit', {from: 1, hint: 'To list everything: --all'});
}

/** Reads pages until there are enough objects. `has_more` tells whether there is at least one more. */
async function walk(pages: AsyncIterable<readonly Item[]>, wanted: number): Promise<ListEnvelope<Item>> {
  const data: Item[] = [];
  for await (const page of pages) {
    data.push(...page);
    if (data.length > wanted) return {resource: 'list', has_more: true, data: data.slice(0, wanted)};
  }
  return {resource: 'list', has_more: false, data};
}

/** The first objects, page by page. @param wanted how many */
async function* firstOf(pages: AsyncIterable<readonly Item[]>, wanted: number): AsyncGenerator<readonly Item[]> {
  let left = wanted;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** The wanted objects of each page. Where many are looked at, a person at a terminal is shown how far it is. */
async function* itemsOf(
  {context: {io}, registered, params, filter}: ListCall,
  pages: Pages<Item>,
): AsyncGenerator<readonly Item[]> {
  const {title} = registered.operation.returns.shape;
  let count = 0;
  try {
    for await (const {data} of pages.pages()) {
      const wanted = filter ? data.filter(filter.keeps) : data;
      yield wanted;
      if (filter?.ends(data, params.before !== undefined)) return;
      count += data.length;
      if (filter) io.progress(`Looking through ${title}s: ${count.toLocaleString('en')}`);
    }
  } finally {
    io.progress(undefined);
  }
}

/** Notes the command for the next page, at a terminal only: what was typed, with the next cursor. */
async function noteNext({context, registered, argv, params}: ListCall, page: ListEnvelope<Item>): Promise<void> {
  if (!context.io.stdoutIsTerminal) return;
  const backwards = params.before !== undefined;
  const kept = argv.filter(
    (word, index) => !/^--(after|before)(=|$)/.test(word) && !/^--(after|before)$/.test(argv[index - 1] ?? ''),
  );
  const next = page.data.at(backwards ? 0 : -1)!;
  const cursor = [backwards ? '--before' : '--after', (await numberOfStatement(context, next)) ?? next.id];
  const command = ['centavo', ...registered.id.split(':'), ...kept, ...cursor].map(shellQuote).join(' ');
  context.io.note(context.io.paint('dim', `More: ${command}`, 'stderr'));
}

/** The number of a billing statement, if it is remembered: the cursor may be far down the list. */
async function numberOfStatement(context: Context, item: Item): Promise<string | undefined> {
  if (item.resource !== 'billing_statement') return undefined;
  const number = numberOf(item);
  if (number === undefined || !isStatementNumber(number)) return undefined;
  const {rememberNumbers} = await import('../references/find-statements.js');
  return (await rememberNumbers(context, new Map([[number, item.id]]))) ? number : undefined;
}
