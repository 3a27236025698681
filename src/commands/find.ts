// `centavo find <text>`: searches statements and customers by number, name, amount, email address or metadata.

import {getterOf, shapeOfId} from '../api/registry.js';
import {replacedBy} from '../accounting/replacements.js';
import {knownFrom, moneyRank, standingOf} from '../accounting/standing.js';
import {
  statementCustomerOf,
  dueTimeOf,
  statementNumberOf,
  statementSubjectOf,
  statementText,
  type StatementLike,
} from '../api/statement.js';
import type {AccountReadOptions} from '../billing/account/account-reader.js';
import {BaseCommand, CALL_EXITS, requiredArgument, severalWords} from '../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../cli/dry-run.js';
import {suggestNextPage} from '../cli/lists/suggest-next-page.js';
import {accountArgs} from '../cli/next-steps.js';
import {moneyHistory, standingsOf, stateFormatter} from '../cli/presentation/standings.js';
import {customDescription} from '../cli/presentation/statement-view.js';
import {Flags} from '../cli/oclif.js';
import {resultOfRecords} from '../cli/records.js';
import {withReadingProgress} from '../cli/account-reads.js';
import {paymentsNamed} from '../cli/references/payments-named.js';
import {secretInputError} from '../cli/references/references.js';
import * as schema from '../cli/schema.js';
import {guardConnection} from '../guard/guard.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {quote, readPesos} from '../input/money.js';
import {matchesName, hasSequence, isSameName, isSequence} from '../input/names.js';
import {lookOf} from '../input/own-numbers.js';
import {readWholeNumber} from '../input/quantities.js';
import {isJsonObject} from '../common/json.js';
import {commandLine} from '../common/next-text.js';
import {formatPesos} from '../common/pesos.js';
import {isForPeople} from '../output/render.js';

const FOUND = schema.record({
  id: schema.text,
  resource: schema.titled('type', schema.text),
  ...schema.fieldsNamed('name customer email', schema.nullable(schema.text)),
  amount: schema.nullable(schema.centavos),
  state: schema.titled('status', schema.nullable(schema.status)),
  due_at: schema.titled('due', schema.nullable(schema.timestamp)),
  matched: schema.text,
  owed: schema.nullable(schema.centavos),
});

const UNNAMED = {customer: null, email: null, amount: null, state: null, due_at: null};

const AT_TERMINAL = {
  name: 1,
  customer: {rank: 2, cut: 'name'},
  amount: 3,
  due_at: 5,
  state: 3,
  matched: 4,
  id: {rank: 6, isId: true, shortens: true},
} as const;

/** A customer's row at a terminal has the email address in the customer column, and the balance as its status. */
const shownRow = (row: FindResult): FindResult =>
  row.resource === 'customer'
    ? {...row, customer: row.email, state: row.state ?? `owes ${formatPesos(row.owed ?? 0)}`}
    : row;

export class FindCommand extends BaseCommand {
  static override summary = 'Find billing statements, payments and customers by number, name, amount or reference.';
  static override description =
    'Searches for numbers, names, email addresses, amounts (1,250.50), items and ids. The digits of a number, part of a name, or the start of an id is enough. Also searches your own numbers: metadata values such as the external_id of an import, and whole references of checkout sessions and payment intents. Deleted customers are found by their statements.\n\n' +
    'What the API omits from its lists cannot be found, such as metadata or items.';
  static override examples = [
    '<%= config.bin %> find juan',
    '<%= config.bin %> find NOV-004',
    '<%= config.bin %> find 1,250.50 --json',
  ];
  static override args = {text: severalWords({description: 'Number, name, amount or email address.'})};
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(schema.page(FOUND), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(FindCommand);
    const {context, rendering} = this;
    const {io} = context;
    const typed = requiredArgument(args.text?.join(' ').trim(), 'the search text', 'centavo find juan');
    valueOrThrow(secretInputError(typed, 'the search text'));
    // The ellipsis of a cut id.
    const wanted = typed.replace(/^([a-z]+_\w+)…$/, '$1');
    const limit = valueOrThrow(readWholeNumber(flags.limit, {from: 1}), '--limit');
    guardConnection(await context.connection());
    if (flags['dry-run']) return printLists(context, this.requestForm, ['customers:list', LIST_STATEMENTS]);
    const {found, standings, owed} = await withReadingProgress(
      context,
      'Searching customers and billing statements',
      (paging) => this.find(wanted, paging),
    );
    const data = found.slice(0, limit).map((row) => {
      const {state = row.state, balance = null} = standings.get(row.id) ?? {};
      return {...row, state, owed: row.resource === 'customer' ? (owed.get(row.id) ?? 0) : balance};
    });
    const more = found.length - data.length;
    const account = accountArgs(context);
    const empty = getterOf(shapeOfId(typed)?.prefix ?? '')
      ? `To read it by its id: ${commandLine(['get', typed, ...account])}`
      : `No billing statement, payment or customer matches ${quote(typed)}.`;
    await this.print(
      resultOfRecords(FOUND, data, {
        document: schema.listDocument(data, more > 0),
        atTerminal: AT_TERMINAL,
        ...(isForPeople(rendering, io) && {shown: data.map(shownRow)}),
        formatters: async () => new Map([['state', stateFormatter(standings)]]),
        empty,
      }),
    );
    if (more > 0)
      suggestNextPage({io, rendering}, ['find', ...this.argv], /limit/, ['--limit', String(found.length)], more);
    const [only] = found;
    if (!only || found.length > 1 || only.state === 'deleted' || !io.stdoutIsTerminal) return;
    const name = only.resource === 'customer' ? only.id : (only.name ?? only.id);
    io.note(`See it: ${commandLine(['get', name, ...account])}`, {style: 'dim'});
  }

  /**
   * Returns the best matches first. Among equal matches, customers come first, then the newest statements; of those with
   * one reference, what was paid.
   */
  private async find(typed: string, paging: AccountReadOptions) {
    /** The matches, and the statements that may replace one. */
    const statements: StatementLike[] = [];
    const {Aging, findCustomerById, customerPages, metadataValuesOf, statementPages} = await this.context.billing();
    const aging = new Aging();
    const history = await moneyHistory(this.context, () => {});
    const now = await this.context.accountNow();
    const client = await this.context.client();
    const found: {readonly rank: number; readonly row: Omit<FindResult, 'owed'>}[] = [];
    const add = (known: SearchableText, row: Omit<FindResult, 'id' | 'matched' | 'owed'>): void => {
      const [, rank, matched] = matchesOf(typed, known, metadataValuesOf(known)).find(([fits]) => fits) ?? [];
      if (matched) found.push({rank: rank!, row: {id: known.id, ...row, matched}});
    };
    const customers = new Set<string>();
    const addCustomer = (known: SearchableText, state: string | null): void => {
      const {name = null, email = null} = known;
      add(known, {...UNNAMED, resource: 'customer', name, email, state});
    };
    for await (const {data} of customerPages(client, paging))
      for (const each of data.filter(({deleted}) => !deleted)) {
        customers.add(each.id);
        addCustomer(each, null);
      }
    for await (const {data} of statementPages(client, paging))
      for (const each of data) {
        const {id: payer = '', name, email} = statementCustomerOf(each);
        const known = {...each, number: statementNumberOf(each), name, email, texts: textsOf(each)};
        aging.add(each, standingOf(each, knownFrom(history, each), now));
        const before = found.length;
        const {resource, amount = null} = each;
        const row = {name: known.number ?? null, customer: name ?? null, email: email ?? null, amount};
        add(known, {...UNNAMED, resource, ...row, due_at: dueTimeOf(each) ?? null});
        if (found.length > before || replacedBy(each) !== undefined) statements.push(each);
        // Deleted customers appear only on statements.
        if (found.length === before || customers.has(payer)) continue;
        customers.add(payer);
        if (!(await findCustomerById(client, payer, paging))) addCustomer({id: payer, name, email}, 'deleted');
      }
    for (const each of await paymentsNamed(this.context, typed)) {
      const id = String(each.id);
      if (found.some(({row}) => row.id === id)) continue;
      const [name = null, {amount = null}] = [statementText(each.customer_reference_id), statementSubjectOf(each)];
      const row = {...UNNAMED, id, resource: String(each.resource), name, amount, matched: 'reference'};
      found.push({rank: 0, row});
      statements.push(each);
    }
    const standings = await standingsOf(this.context, statements, history);
    const orderOf = ({rank, row}: (typeof found)[number]): number => {
      const standing = /=|^reference$/.test(row.matched) ? standings.get(row.id) : undefined;
      return rank + (row.resource === 'customer' ? 0 : 0.5) + (standing ? moneyRank(standing) / 10 : 0);
    };
    const owed = new Map(aging.customers().map((each) => [each.customer_id, each.owed]));
    return {found: found.sort((a, b) => orderOf(a) - orderOf(b)).map(({row}) => row), standings, owed};
  }
}

type FindResult = schema.SchemaValue<typeof FOUND>;
interface SearchableText {
  readonly id: string;
  readonly number?: string;
  readonly name?: string;
  readonly email?: string;
  readonly amount?: unknown;
  readonly metadata?: unknown;
  /** Descriptions of a statement and its items, if the list has them. */
  readonly texts?: readonly string[];
}

const textsOf = (statement: StatementLike): string[] =>
  [
    {description: customDescription(statement)},
    ...(Array.isArray(statement.line_items) ? statement.line_items.filter(isJsonObject) : []),
  ].map(({description}) => statementText(description) ?? '');

/** Characters. A shorter text matches only whole values. */
const MIN_PART_LENGTH = 3;

/** Returns ordered tests: match, rank (0: whole match), field (`number`, `order=1042`). @param own metadata values */
function matchesOf(
  typed: string,
  {id, number = '', name = '', email = '', amount, texts = []}: SearchableText,
  own: readonly (readonly [key: string, value: string])[],
): readonly (readonly [fits: boolean, rank: number, by: string | undefined])[] {
  const [wanted, look] = [typed.toLowerCase(), lookOf(typed)];
  const isWhole = (value: string): boolean => lookOf(value) === look;
  const has = (value: string): boolean => wanted.length >= MIN_PART_LENGTH && value.toLowerCase().includes(wanted);
  const [whole, part] = [isWhole, has].map((test) => own.find(([, value]) => test(value))?.join('='));
  return [
    [isWhole(number), 0, 'number'],
    [whole !== undefined, 0, whole],
    [amount === readPesos(typed), 0, 'amount'],
    [isWhole(email), 0, 'email'],
    [name !== '' && isSameName(name, typed), 0, 'name'],
    [isSequence(typed) ? hasSequence(number, typed) : has(number), 1, 'number'],
    [matchesName(name, typed), 1, 'name'],
    [part !== undefined, 2, part],
    [has(email), 2, 'email'],
    [texts.some(has), 2, 'item'],
    [/^(?:bstm|cus)_./.test(typed) && id.startsWith(typed), 1, 'id'],
  ];
}
