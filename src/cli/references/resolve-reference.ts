// Finds the object that a person means by an id, a statement's number, an email address or a name.

import type {Context} from '../../context.js';
import {shapes} from '../../api/registry.js';
import {customerOf, numberOf, subjectOf, type StatementLike} from '../../api/statement.js';
import type {Subject} from '../../audit/entries.js';
import type {FoundCustomer, WalkOptions} from '../../billing/find.js';
import type {KnownNumbers} from '../../billing/known-numbers.js';
import {isSet} from '../../environment.js';
import {usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import {formatPesos} from '../../pesos.js';
import {noCustomer, noStatement} from './nothing-found.js';
import {needsLookUp, readReference, type Reference} from './references.js';

export interface ReferenceOptions {
  /** The flag or argument, for the words of errors: `--customer`. */
  readonly name: string;
  /** Whether the command changes something: then a part of a name does not do without a person to confirm it. */
  readonly changes: boolean;
  /** Whether what is found will be said anyway, in the question before the change. */
  readonly isSaidLater?: boolean;
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
  if (prefix === 'bstm_li_') {
    const {findItems} = await import('./resolve-item.js');
    return [...new Set(await findItems(context, references, options))];
  }
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
  const billing = await context.billing();
  const known = await knownNumbersOf(context);
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

/** What is remembered of the account; nothing with CENTAVO_NO_CACHE. @throws CentavoError of the connection */
async function knownNumbersOf(context: Context): Promise<KnownNumbers | undefined> {
  if (isSet(context.env.CENTAVO_NO_CACHE)) return undefined;
  const {knownNumbers} = await context.billing();
  const {profile, mode, baseUrl} = await context.connection();
  return knownNumbers({
    directory: context.dataDirectory(),
    profile: profile.value,
    mode,
    baseUrl: baseUrl?.value,
    user: context.host.user,
    token: () => context.token(16),
  });
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
  /** Of a statement. */
  readonly subject?: Subject;
}

function candidateOf(statement: StatementLike & {readonly id: string}): Candidate {
  const {name, id} = customerOf(statement);
  const amount = typeof statement.amount === 'number' ? ` of ${formatPesos(statement.amount)}` : '';
  const payer = name ?? id;
  return {
    id: statement.id,
    subject: subjectOf(statement),
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
  // Errors propose commands with what was typed; a name may be a part of one.
  for (const {kind, text} of references)
    if (kind === 'number' || kind === 'email') context.typedFor.set(chosen.get(text)!.id, text);
  for (const {id, subject} of chosen.values()) if (subject) context.subjects.set(id, subject);
  const {io} = context;
  if ((options.changes && !options.isSaidLater) || guessed.size > 0) {
    const said = [...chosen.values()];
    const lineOf = ({words, id}: Candidate): string => {
      if (!io.stdoutIsTerminal) return `${words}, ${id}`;
      const line = `${words}, ${id.slice(0, prefix.length + SHORT_ID)}`;
      return line.length > io.width ? words : line;
    };
    for (const each of said.slice(0, MOST_SAID)) io.note(io.paint('dim', lineOf(each), 'stderr'));
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

/** More candidates than these are searched by typing. */
const MOST_LISTED = 7;

/** A candidate in a list to choose from; with its id where another one reads the same. */
const nameOf = ({words, id}: Candidate, candidates: readonly Candidate[]): string =>
  candidates.some((each) => each.id !== id && each.words === words) ? `${words}  ${id}` : words;

/** Characters of an id that people at a terminal are shown behind its prefix. */
const SHORT_ID = 8;
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
  if (io.canAsk) {
    const choices = candidates.map((each) => ({name: nameOf(each, candidates), value: each}));
    if (candidates.length > MOST_LISTED) return prompt.search(`Which ${title}?`, choices);
    const question =
      candidates.length > 1
        ? `${quote(text)} matches ${candidates.length} ${title}s. Which one?`
        : `Do you mean this ${title}?`;
    return prompt.select(question, choices);
  }
  const named = candidates.slice(0, MOST_NAMED).map(({words, id}) => `${words} ${id}`);
  const more = candidates.length - named.length;
  const isCustomer = prefix === 'cus_';
  const details = {
    code: isCustomer ? 'customer_ambiguous' : 'statement_ambiguous',
    // The list was read, so it is not true that nothing was sent.
    changed: changes ? 'Nothing was changed.' : '',
  };
  if (candidates.length === 1)
    throw usageError(`${quote(text)} is only part of a ${title}’s name.`, {
      ...details,
      why: 'Without a terminal to ask, a change needs an id, an email address or a whole name.',
      hint: `Did you mean ${named[0]}?`,
    });
  throw usageError(`${quote(text)} matches ${candidates.length} ${title}s.`, {
    ...details,
    hint: `Use one of these ids: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
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
