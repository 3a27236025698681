// Finds the object that a person means by an id, a statement's number, an e-mail address or a name.

import type {Context} from '../context.js';
import {shapes} from '../api/registry.js';
import {customerOf, numberOf, type StatementLike} from '../api/statement.js';
import type {FoundCustomer, WalkOptions} from '../billing/find.js';
import {CentavoError, usageError} from '../errors.js';
import {quote} from '../input/money.js';
import {foldName, wordsOfName} from '../input/names.js';
import {formatPesos} from '../pesos.js';
import {sameAccount} from './next-command.js';
import {nearest} from './parse-errors.js';
import {needsLookUp, readReference, type Reference} from './references.js';

export interface ReferenceOptions {
  /** The flag or argument, for the words of errors: `--customer`. */
  readonly name: string;
  /** Whether the command changes something: then a part of a name does not do without a person to confirm it. */
  readonly changes: boolean;
}

/**
 * The id of the object that is meant.
 * @param prefix of the ids of the wanted kind: `bstm_`, `cus_`
 * @throws CentavoError kind `usage` when nothing or several fit, `not_found` when there is none
 */
export async function resolveReference(
  context: Context,
  prefix: string,
  text: string,
  options: ReferenceOptions,
): Promise<string> {
  const [id] = await resolveReferences(context, prefix, [readReference(text, prefix, options.name)], options);
  return id!;
}

/**
 * The ids of the objects that are meant, in order, each once. Ids are not looked up.
 * @throws CentavoError kind `usage` when several fit one of them, `not_found` when there is none
 */
export async function resolveReferences(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (!needsLookUp(references)) return [...new Set(references.map(({text}) => text))];
  const found = await (prefix === 'bstm_' ? findStatements : findCustomers)(context, references, options);
  return [...new Set(found)];
}

/** How many ids are checked one by one; more are found sooner by looking through the list. */
const MOST_CHECKED = 10;
/** What was found for a change is said of this many. */
const MOST_SAID = 10;

async function findStatements(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  const wanted = [...new Set(references.filter(({kind}) => kind !== 'id').map(({text}) => text))];
  const {billing, known} = {billing: await context.billing(), known: await context.knownNumbers()};
  const client = await context.client();
  const found = new Map<string, readonly Candidate[]>();
  const gone: string[] = [];
  for (const text of wanted.length > MOST_CHECKED ? [] : wanted) {
    const id = known?.idOf(text);
    if (id === undefined) continue;
    const statement = await billing.statementWithNumber(client, id, text, {signal: context.signal});
    if (statement) found.set(text, [candidateOf(statement)]);
    else gone.push(text);
  }
  const missing = wanted.filter((text) => !found.has(text));
  if (missing.length > 0) {
    const walked = await walking(context, 'billing statements', (walk) =>
      billing.searchStatements(client, missing, walk),
    );
    known?.learn(walked.numbers, gone);
    for (const text of missing) {
      const fitting = walked.found.get(text) ?? [];
      if (fitting.length === 0) throw noStatement(context, text, [...walked.numbers.keys()], options);
      found.set(text, fitting.map(candidateOf));
    }
  }
  return chosenIds(context, 'bstm_', references, found, options);
}

async function findCustomers(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  const billing = await context.billing();
  const client = await context.client();
  let everybody: readonly FoundCustomer[] | undefined;
  const all = async () =>
    (everybody ??= await walking(context, 'customers', (walk) => billing.allCustomers(client, walk)));
  const found = new Map<string, readonly Candidate[]>();
  const guessed = new Set<string>();
  for (const {kind, text} of references) {
    if (kind === 'id' || found.has(text)) continue;
    let fitting: readonly FoundCustomer[];
    if (kind === 'email')
      fitting = await walking(context, 'customers', (walk) => billing.customersWithEmail(client, text, walk));
    else if (kind === 'start') fitting = (await all()).filter(({id}) => id.startsWith(text));
    else {
      fitting = await walking(context, 'customers', (walk) => billing.customersWithName(client, text, walk));
      if (fitting.length === 0) {
        const like = billing.customersLike(await all(), text);
        if (!like.isWhole) guessed.add(text);
        fitting = like.found;
      }
    }
    if (fitting.length === 0) throw noCustomer(context, {kind, text}, everybody ?? [], options);
    found.set(
      text,
      fitting.map(({id, name, email}) => ({id, words: `${name} <${email}>`})),
    );
  }
  return chosenIds(context, 'cus_', references, found, options, guessed);
}

/** An object that may be meant. */
interface Candidate {
  readonly id: string;
  /** `Juan Dela Cruz <juan@example.com>` */
  readonly words: string;
}

function candidateOf(statement: StatementLike & {readonly id: string}): Candidate {
  const {name, id} = customerOf(statement);
  const amount = typeof statement.amount === 'number' ? ` of ${formatPesos(statement.amount)}` : '';
  const payer = name ?? id;
  return {
    id: statement.id,
    words: `${numberOf(statement) ?? 'without a number'}${amount}${payer === undefined ? '' : ` for ${payer}`}`,
  };
}

/** @param guessed texts that are only parts of the names that were found */
async function chosenIds(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  found: ReadonlyMap<string, readonly Candidate[]>,
  options: ReferenceOptions,
  guessed: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const chosen = new Map<string, Candidate>();
  for (const [text, candidates] of found)
    chosen.set(text, await choose(context, prefix, {text, candidates, isGuess: guessed.has(text)}, options));
  const {io} = context;
  if (options.changes || guessed.size > 0) {
    const said = [...chosen.values()];
    for (const {words, id} of said.slice(0, MOST_SAID)) io.note(io.paint('dim', `${words}, ${id}`, 'stderr'));
    if (said.length > MOST_SAID) io.note(io.paint('dim', `and ${said.length - MOST_SAID} more`, 'stderr'));
  }
  return references.map(({text}) => chosen.get(text)?.id ?? text);
}

interface Fitting {
  readonly text: string;
  readonly candidates: readonly Candidate[];
  /** Whether the text is only a part of their names. */
  readonly isGuess: boolean;
}

/** How many candidates an error names. */
const MOST_NAMED = 3;

async function choose(
  {io, prompt}: Context,
  prefix: string,
  {text, candidates, isGuess}: Fitting,
  {changes}: ReferenceOptions,
): Promise<Candidate> {
  const {title} = shapes.get(prefix)!;
  const [first] = candidates as [Candidate];
  const needsPerson = candidates.length > 1 || (changes && isGuess);
  if (!needsPerson) return first;
  if (io.canAsk)
    return prompt.select(
      `Which ${title} is meant by ${quote(text)}?`,
      candidates.map((each) => ({name: `${each.words}  ${each.id}`, value: each})),
    );
  const named = candidates.slice(0, MOST_NAMED).map(({words, id}) => `${words} ${id}`);
  const more = candidates.length - named.length;
  const details = {
    code: prefix === 'cus_' ? 'customer_ambiguous' : 'statement_ambiguous',
    // The list was read, so it is not true that nothing was sent.
    changed: changes ? 'Nothing was changed.' : '',
  };
  if (candidates.length === 1)
    throw usageError(`${quote(text)} is only a part of the name of a ${title}.`, {
      ...details,
      why: 'A change without a person to ask needs an id, an e-mail address or a whole name.',
      hint: `Did you mean ${named[0]}?`,
    });
  throw usageError(`${quote(text)} fits ${candidates.length} ${title}s.`, {
    ...details,
    hint: `Say which: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  });
}

/** Looks through a list, and shows at a terminal how far it is from the second page on. */
async function walking<T>({io, signal}: Context, what: string, walk: (options: WalkOptions) => Promise<T>): Promise<T> {
  try {
    const onPage = (count: number): void => io.progress(`Looking through ${what}: ${count.toLocaleString('en')}`);
    return await walk({signal, onPage});
  } finally {
    io.progress(undefined);
  }
}

function noStatement(
  context: Context,
  text: string,
  numbers: readonly string[],
  {changes}: ReferenceOptions,
): CentavoError {
  const guess = nearest(text.toUpperCase(), numbers, 2);
  const list = `centavo billing-statements list${sameAccount(context)}`;
  const [message, what] = text.startsWith('bstm_')
    ? [`no billing statement has an id that begins with ${text}.`, undefined]
    : [`no billing statement has the number ${text}.`, guess];
  return new CentavoError('not_found', message, {
    code: 'statement_not_found',
    hint: what === undefined ? `To see them: ${list}` : `Did you mean ${what}? To see all: ${list}`,
    ...(changes && {applied: 'no'}),
  });
}

function noCustomer(
  context: Context,
  {kind, text}: Reference,
  customers: readonly FoundCustomer[],
  {changes}: ReferenceOptions,
): CentavoError {
  const list = `centavo customers list${sameAccount(context)}`;
  const message =
    kind === 'email'
      ? `no customer has the e-mail address ${text}.`
      : kind === 'start'
        ? `no customer has an id that begins with ${text}.`
        : `no customer is called ${quote(text)}.`;
  const guess = kind === 'name' ? misspelt(text, customers) : undefined;
  return new CentavoError('not_found', message, {
    code: 'customer_not_found',
    hint: guess ? `Did you mean ${guess.name} <${guess.email}>? To see all: ${list}` : `To see them: ${list}`,
    ...(changes && {applied: 'no'}),
  });
}

/** The customer whose name, or a word of it, is closest to what was typed. It is only proposed. */
function misspelt(text: string, customers: readonly FoundCustomer[]): FoundCustomer | undefined {
  const byName = new Map(
    customers.flatMap((customer) =>
      [foldName(customer.name), ...wordsOfName(customer.name)].map((name) => [name, customer] as const),
    ),
  );
  const name = nearest(foldName(text), [...byName.keys()], Math.max(1, Math.floor(text.length / 4)));
  return name === undefined ? undefined : byName.get(name);
}
