// `centavo find <text>`: statements and customers, by whatever a person knows of them.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {getterOf, operationWithId, shapeOfId} from '../api/registry.js';
import {customerOf, dueOf, numberOf} from '../api/statement.js';
import type {ReadOptions} from '../billing/account.js';
import {BaseCommand, CALL_EXITS, requiredArgument, severalWords} from '../cli/base.js';
import {printCalls} from '../cli/dry-run.js';
import {noteMore} from '../cli/lists/note-more.js';
import {sameAccount} from '../cli/next-command.js';
import {statusWords} from '../cli/objects/value-words.js';
import {Flags} from '../cli/oclif.js';
import {resultOfRecords} from '../cli/records.js';
import {reading} from '../cli/references/reading.js';
import {faultOfSecret} from '../cli/references/references.js';
import {
  centavos,
  dryRun,
  either,
  nullable,
  page,
  record,
  status,
  text,
  timestamp,
  titled,
  type ValueOf,
} from '../cli/schema.js';
import {guardConnection} from '../guard/guard.js';
import {valid} from '../input/fault.js';
import {quote, readPesos} from '../input/money.js';
import {fitsName, hasSequence, isSameName, isSequence} from '../input/names.js';
import {readWholeNumber} from '../input/quantities.js';
import {shellQuote} from '../input/shell-words.js';
import {clean} from '../output/format.js';
import type {WordsByPath} from '../output/result.js';

const FOUND = record({
  id: text,
  resource: titled('type', text),
  name: nullable(text),
  customer: nullable(text),
  email: nullable(text),
  amount: nullable(centavos),
  status: nullable(status),
  due_at: titled('due', nullable(timestamp)),
  matched: text,
});

const AT_TERMINAL = {
  name: 1,
  customer: {rank: 2, cut: 'name'},
  amount: 3,
  due_at: 5,
  status: 3,
  matched: 4,
  id: {rank: 6, isId: true, shortens: true},
} as const;

/** A customer has an address in the place of who pays. */
const WORDS: WordsByPath = new Map([
  ['status', (row, look) => (row.resource === 'customer' ? undefined : statusWords(row, look))],
  ['customer', ({resource, email}) => (resource === 'customer' ? {text: clean(String(email ?? ''))} : undefined)],
]);

/** Customers of statements who are read at most, to see whether they were deleted. */
const MOST_READS = 10;

const LISTS = ['customers:list', 'billing-statements:list'].map(operationWithId);

export class FindCommand extends BaseCommand {
  static override summary = 'Find billing statements and customers by whatever you know of them.';
  static override description =
    'Looks for a number or its digits, a name or a part of it, an email address, an amount (1,250.50), the beginning of an id, and your own numbers, which are values in the metadata, such as the external_id of an import. Customers who were deleted are found by their statements.\n\n' +
    'A service may leave metadata out of its lists: then your own numbers cannot be found.';
  static override examples = [
    '<%= config.bin %> find juan',
    '<%= config.bin %> find NOV-004',
    '<%= config.bin %> find 1,250.50 --json',
  ];
  static override args = {text: severalWords({description: 'What you know: a number, a name, an amount.'})};
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => either(page(FOUND), dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(FindCommand);
    const {context, rendering} = this;
    const {io} = context;
    const typed = requiredArgument(args.text?.join(' ').trim(), 'what to find', 'centavo find juan');
    valid(faultOfSecret(typed, 'what to find'));
    const limit = valid(readWholeNumber(flags.limit, {from: 1}), '--limit');
    guardConnection(await context.connection(), flags);
    if (flags['dry-run']) {
      const calls = LISTS.map((registered) => ({...registered, ids: [], params: {limit: MAXIMUM_PAGE}}));
      return printCalls(context, this.requestForm, calls);
    }
    const found = await reading(context, 'Looking through customers and billing statements', (walk) =>
      this.find(typed, walk),
    );
    const data = found.slice(0, limit);
    const more = found.length - data.length;
    const account = sameAccount(context);
    const empty = getterOf(shapeOfId(typed)?.prefix ?? '')
      ? `To read it by its id: centavo get ${shellQuote(typed)}${account}`
      : `No billing statement or customer is known by ${quote(typed)}.`;
    const document = {resource: 'list', has_more: more > 0, data};
    await this.print(
      resultOfRecords(FOUND, data, {document, atTerminal: AT_TERMINAL, words: async () => WORDS, empty}),
    );
    if (more > 0) noteMore({io, rendering}, ['find', ...this.argv], /limit/, ['--limit', String(found.length)], more);
    const [only] = found;
    if (!only || found.length > 1 || only.status === 'deleted' || !io.stdoutIsTerminal) return;
    const name = only.resource === 'customer' ? only.id : (only.name ?? only.id);
    io.note(`See it: centavo get ${shellQuote(name)}${account}`, {style: 'dim'});
  }

  /** The best first; of equal ones customers, then the newest. */
  private async find(typed: string, walk: ReadOptions): Promise<ValueOf<typeof FOUND>[]> {
    const {context} = this;
    const {customerIfThere, customerPages, ownValuesOf, statementPages} = await context.billing();
    const client = await context.client();
    const found: {readonly rank: number; readonly row: ValueOf<typeof FOUND>}[] = [];
    const match = (known: Omit<Known, 'own'> & {readonly metadata?: unknown}) =>
      matchOf(typed, {...known, own: ownValuesOf(known)});
    const add = (row: Omit<ValueOf<typeof FOUND>, 'matched'>, by: Match | undefined): unknown =>
      by && found.push({rank: by.rank, row: {...row, matched: by.matched}});
    const addCustomer = ({id, name, email}: Pick<Known, 'email' | 'id' | 'name'>, state: string | null, by?: Match) => {
      const known = {id, resource: 'customer', name: name ?? null, email: email ?? null};
      add({...known, customer: null, amount: null, status: state, due_at: null}, by);
    };
    const customers = new Set<string>();
    let reads = 0;
    for await (const {data} of customerPages(client, walk))
      for (const each of data.filter(({deleted}) => !deleted)) {
        customers.add(each.id);
        addCustomer(each, null, match(each));
      }
    for await (const {data} of statementPages(client, walk))
      for (const each of data) {
        const {id, amount, metadata, resource} = each;
        const {id: payer, name, email} = customerOf(each);
        if (payer !== undefined && !customers.has(payer)) {
          // Only statements tell of a customer who was deleted.
          customers.add(payer);
          const known = {id: payer, name, email};
          const by = match(known);
          if (by && reads++ < MOST_READS && !(await customerIfThere(client, payer, walk)))
            addCustomer(known, 'deleted', by);
        }
        const number = numberOf(each);
        const shown = {id, resource, name: number ?? null, customer: name ?? null, email: email ?? null};
        const by = match({id, number, name, email, amount, metadata});
        add({...shown, amount: amount ?? null, status: each.status ?? null, due_at: dueOf(each) ?? null}, by);
      }
    return found.sort((one, other) => one.rank - other.rank).map(({row}) => row);
  }
}

/** What is compared with the text that was typed. */
interface Known {
  readonly id: string;
  readonly number?: string;
  readonly name?: string;
  readonly email?: string;
  readonly amount?: unknown;
  readonly own: readonly (readonly [key: string, value: string])[];
}

interface Match {
  /** 0 for what is whole. */
  readonly rank: number;
  /** `number`, `order=1042` */
  readonly matched: string;
}

/** Shorter texts are not looked for inside of others. */
const SHORTEST_PART = 3;

function matchOf(typed: string, {id, number = '', name = '', email = '', amount, own}: Known): Match | undefined {
  const wanted = typed.toLowerCase();
  const isWhole = (value: string): boolean => value.toLowerCase() === wanted;
  const has = (value: string): boolean => wanted.length >= SHORTEST_PART && value.toLowerCase().includes(wanted);
  const [whole, part] = [isWhole, has].map((test) => own.find(([, value]) => test(value))?.join('='));
  const matches: readonly (readonly [fits: boolean, rank: number, matched: string | undefined])[] = [
    [isWhole(number), 0, 'number'],
    [whole !== undefined, 0, whole],
    [amount === readPesos(typed), 0, 'amount'],
    [isWhole(email), 0, 'email'],
    [name !== '' && isSameName(name, typed), 0, 'name'],
    [isSequence(typed) ? hasSequence(number, typed) : has(number), 1, 'number'],
    [fitsName(name, typed), 1, 'name'],
    [part !== undefined, 2, part],
    [has(email), 2, 'email'],
    [/^(?:bstm|cus)_./.test(typed) && id.startsWith(typed), id === typed ? 0 : 1, 'id'],
  ];
  const [, rank, matched] = matches.find(([fits]) => fits) ?? [];
  return matched === undefined ? undefined : {rank: rank!, matched};
}
