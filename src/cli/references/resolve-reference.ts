// Finds the ids of objects: a customer by email address, name or part of one; a statement by number, its digits, the beginning of
// its id, or its customer.

import {shapes} from '../../api/registry.js';
import {customerOf, numberOf, subjectOf} from '../../api/statement.js';
import type {Subject} from '../../audit/audit.js';
import type {FoundCustomer} from '../../billing/account.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {KnownNumbers} from '../../billing/known.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {shown} from '../../guard/describe.js';
import {valid} from '../../input/fault.js';
import {quote} from '../../input/money.js';
import {foldName, isSequence, isStatementNumber, wordsOfName} from '../../input/names.js';
import {nearest} from '../../input/nearest.js';
import {shellQuote} from '../../input/shell-words.js';
import {sameAccount} from '../next-command.js';
import {statusWords} from '../objects/value-words.js';
import {knownOptions, reading} from './reading.js';
import {needsLookUp, readReference, type Reference, type ReferenceOptions} from './references.js';

export async function resolveReference(
  context: Context,
  prefix: string,
  text: string,
  options: ReferenceOptions,
): Promise<string> {
  const [id] = await resolveReferences(context, prefix, [valid(readReference(text, prefix))], options);
  return id!;
}

/** The ids of the objects, in order. References that are ids are not looked up. */
export async function resolveReferences(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (!needsLookUp(references)) return references.map(({text}) => text);
  try {
    return await lookUp(context, prefix, references, options);
  } catch (error) {
    // A command that changes something says that nothing was changed.
    if (!options.changes || !(error instanceof CentavoError) || error.details.applied !== undefined) throw error;
    throw error.with({applied: 'no'});
  }
}

async function lookUp(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (prefix === 'bstm_li_') {
    const {findItems} = await import('./resolve-item.js');
    return findItems(context, references, (name) =>
      resolveReference(context, 'bstm_', name, {...options, isSaidLater: true}),
    );
  }
  const meant = prefix === 'bstm_' ? statementsMeant : customersMeant;
  const found = await meant(context, references, options);
  return chosenIds(context, prefix, references, found, options);
}

/** More ids are found sooner in the list than one by one. */
const MOST_CHECKED = 10;

/** The statements that fit each reference that is no id, by its text. */
async function statementsMeant(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<ReadonlyMap<string, Fitting>> {
  const {statementsOfCustomers} = await context.billing();
  const client = await context.client();
  const isOfCustomer = ({kind}: Reference): boolean => kind === 'email' || kind === 'name';
  const texts = references.filter((each) => each.kind !== 'id' && !isOfCustomer(each)).map(({text}) => text);
  const found = await findByNumber(context, [...new Set(texts)], options);
  for (const reference of references.filter(isOfCustomer)) {
    const customers = await resolveReferences(context, 'cus_', [reference], {...options, changes: false});
    const own = await reading(context, 'Looking through billing statements', (walk) =>
      statementsOfCustomers(client, customers, walk),
    );
    const fitting = own.filter(({status}) => options.status === undefined || status === options.status);
    if (fitting.length === 0) throw noneOfCustomer(context, reference.text, options);
    // The customer was typed.
    const candidates = fitting.map((statement) => candidateOf(context, statement, {payer: false}));
    found.set(reference.text, {candidates, isGuess: true});
  }
  return found;
}

async function findByNumber(
  context: Context,
  wanted: readonly string[],
  options: ReferenceOptions,
): Promise<Map<string, Fitting>> {
  const found = new Map<string, Fitting>();
  if (wanted.length === 0) return found;
  const {hasNumber, searchStatements, statementIfThere} = await context.billing();
  const known = await knownNumbersOf(context);
  const client = await context.client();
  const gone: string[] = [];
  for (const text of wanted.length > MOST_CHECKED ? [] : wanted) {
    const id = known?.idOf(text);
    if (id === undefined) continue;
    const statement = await statementIfThere(client, id, {signal: context.signal});
    if (statement && hasNumber(statement, text))
      found.set(text, {candidates: [candidateOf(context, statement)], isGuess: false});
    else gone.push(text);
  }
  const missing = wanted.filter((text) => !found.has(text));
  if (missing.length === 0) return found;
  const walked = await reading(context, 'Looking through billing statements', (walk) =>
    searchStatements(client, missing, walk),
  );
  known?.learn(walked.numbers, gone);
  for (const text of missing) {
    const fitting = walked.found.get(text) ?? [];
    if (fitting.length === 0) throw noStatement(context, text, [...walked.numbers.keys()], options);
    found.set(text, {
      candidates: fitting.map((statement) => candidateOf(context, statement)),
      isGuess: isSequence(text),
    });
  }
  return found;
}

/** The numbers that are remembered for the account; none with CENTAVO_NO_CACHE. */
async function knownNumbersOf(context: Context): Promise<KnownNumbers | undefined> {
  const options = await knownOptions(context);
  return options && (await context.billing()).knownNumbers(options);
}

/**
 * Remembers the ids of these numbers, so that a command finds them in one request, even before a list has them.
 * @returns false if nothing is remembered
 */
export async function rememberNumbers(context: Context, ids: ReadonlyMap<string, string>): Promise<boolean> {
  const known = await knownNumbersOf(context);
  known?.learn(ids);
  return known !== undefined;
}

function candidateOf(context: Context, statement: Statement, {payer} = {payer: true}): Candidate {
  const {name, id} = payer ? customerOf(statement) : {};
  const amount = typeof statement.amount === 'number' ? ` of ${formatPesos(statement.amount)}` : '';
  const whose = name ?? id;
  const number = numberOf(statement);
  const status = statusWords(statement, {now: context.shownAt(), beside: new Set()})?.text ?? statement.status;
  return {
    id: statement.id,
    subject: subjectOf(statement),
    words: `${number ?? 'without a number'}${amount}${whose === undefined ? '' : ` for ${shown(whose)}`}`,
    ...(typeof status === 'string' && {detail: status}),
    ...(number !== undefined && isStatementNumber(number) && {number}),
  };
}

async function customersMeant(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<ReadonlyMap<string, Fitting>> {
  const {customersLike, deletedCustomers, findCustomers} = await context.billing();
  const client = await context.client();
  const look = (filter?: {readonly email?: string; readonly name?: string}) =>
    reading(context, 'Looking through customers', (walk) => findCustomers(client, walk, filter));
  let everybody: readonly FoundCustomer[] | undefined;
  const all = async () => (everybody ??= await look());
  const found = new Map<string, Fitting>();
  for (const {kind, text} of references) {
    if (kind === 'id' || found.has(text)) continue;
    let fitting: readonly FoundCustomer[];
    let isGuess = false;
    if (kind === 'email') fitting = await look({email: text});
    else if (kind === 'start') fitting = (await all()).filter(({id}) => id.startsWith(text));
    else {
      fitting = await look({name: text});
      if (fitting.length === 0) {
        const like = customersLike(await all(), text);
        isGuess = !like.isWhole;
        fitting = like.found;
      }
    }
    if (fitting.length === 0 && options.withDeleted) {
      fitting = await reading(context, 'Looking through billing statements', (walk) =>
        deletedCustomers(client, text, walk),
      );
      isGuess = true;
    }
    if (fitting.length === 0) throw noCustomer(context, {kind, text}, everybody ?? [], options);
    const candidates = fitting.map(({id, name, email, isDeleted}) => ({
      id,
      words: `${shown(name)} <${email}>${isDeleted ? ' (deleted)' : ''}`,
    }));
    found.set(text, {candidates, isGuess});
  }
  return found;
}

/** Objects that are named before a change. */
const MOST_SAID = 10;

async function chosenIds(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  found: ReadonlyMap<string, Fitting>,
  options: ReferenceOptions,
): Promise<string[]> {
  const chosen = new Map<string, Candidate>();
  const unsaid: Candidate[] = [];
  for (const [text, fitting] of found) {
    const {chosen: candidate, wasAsked} = await choose(context, prefix, text, fitting, options);
    chosen.set(text, candidate);
    if (!wasAsked) unsaid.push(candidate);
  }
  const isGuess = [...found.values()].some((fitting) => fitting.isGuess);
  // Errors suggest commands with what was typed, if it names one object exactly.
  for (const {kind, text} of references) {
    const {candidates = [], isGuess: isPart = true} = found.get(text) ?? {};
    if (kind !== 'id' && kind !== 'start' && candidates.length === 1 && !isPart)
      context.names.set(chosen.get(text)!.id, text);
  }
  for (const {id, subject} of chosen.values()) if (subject) context.subjects.set(id, subject);
  const {io} = context;
  if ((options.changes && !options.isSaidLater) || isGuess) {
    // Logs get the id too. "Found" keeps a foreign name from beginning a line.
    const lineOf = ({words, id}: Candidate): string =>
      `${prefix === 'cus_' ? 'Found ' : ''}${words}${io.stdoutIsTerminal ? '' : `, ${id}`}`;
    for (const each of unsaid.slice(0, MOST_SAID)) io.note(lineOf(each), {style: 'dim'});
    if (unsaid.length > MOST_SAID) io.note(`and ${unsaid.length - MOST_SAID} more`, {style: 'dim'});
  }
  return references.map(({text}) => chosen.get(text)?.id ?? text);
}

interface Candidate {
  readonly id: string;
  /** `Juan Dela Cruz <juan@example.com>` */
  readonly words: string;
  readonly detail?: string;
  /** The number of a statement, which is also in the words. */
  readonly number?: string;
  readonly subject?: Subject;
}

interface Fitting {
  readonly candidates: readonly Candidate[];
  /** The text is only part of their names, or names their customer. */
  readonly isGuess: boolean;
}

/** A person searches among more candidates by typing. */
const MOST_LISTED = 7;
/** Candidates that an error names. */
const MOST_NAMED = 3;

/** With the id if another candidate reads the same. */
const candidateName = ({words, id}: Candidate, candidates: readonly Candidate[]): string =>
  candidates.some((each) => each.id !== id && each.words === words) ? `${words}  ${id}` : words;

/** A person chooses one; without a terminal, several are an error. */
async function choose(
  {io, prompt}: Context,
  prefix: string,
  text: string,
  {candidates, isGuess}: Fitting,
  {changes}: ReferenceOptions,
): Promise<{readonly chosen: Candidate; readonly wasAsked: boolean}> {
  const {title} = shapes.get(prefix)!;
  const [first] = candidates as [Candidate];
  const needsPerson = candidates.length > 1 || (changes && isGuess);
  if (!needsPerson) return {chosen: first, wasAsked: false};
  if (!io.canAsk) throw notChosen(prefix, text, candidates, changes);
  const named = candidates.map((each) => ({name: candidateName(each, candidates), detail: each.detail, value: each}));
  if (candidates.length > MOST_LISTED) return {chosen: await prompt.search(`Which ${title}?`, named), wasAsked: true};
  const question =
    candidates.length > 1
      ? `${quote(text)} matches ${candidates.length} ${title}s. Which one?`
      : `Do you mean this ${title}?`;
  const choices = named.map(({name, detail, value}) => ({name: [name, detail].filter(Boolean).join(', '), value}));
  return {chosen: await prompt.select(question, choices), wasAsked: true};
}

function notChosen(prefix: string, text: string, candidates: readonly Candidate[], changes: boolean): CentavoError {
  const {title} = shapes.get(prefix)!;
  const isCustomer = prefix === 'cus_';
  // Two statements may have the same number.
  const numbers = candidates.map(({number}) => number);
  const hasNumbers = !numbers.includes(undefined) && new Set(numbers).size === numbers.length;
  const named = candidates.slice(0, MOST_NAMED).map(({words, id}) => (hasNumbers ? words : `${words} ${id}`));
  const more = candidates.length - named.length;
  const code = isCustomer ? 'customer_ambiguous' : 'statement_ambiguous';
  // Not "Nothing was sent.", because the list was read.
  const changed = changes ? 'Nothing was changed.' : '';
  if (candidates.length === 1)
    return usageError(code, `${quote(text)} is only part of a ${title}’s ${isCustomer ? 'name' : 'number'}.`, {
      changed,
      why: `Without a terminal to ask, a change needs ${isCustomer ? 'an id, an email address or a whole name' : 'a whole number or an id'}.`,
      hint: `Did you mean ${named[0]}?`,
    });
  return usageError(code, `${quote(text)} matches ${candidates.length} ${title}s.`, {
    changed,
    hint: `Use one of these ${hasNumbers ? 'numbers' : 'ids'}: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  });
}

function noStatement(
  context: Context,
  text: string,
  numbers: readonly string[],
  {changes}: ReferenceOptions,
): CentavoError {
  const isId = text.startsWith('bstm_');
  const message = isId
    ? `no billing statement has an id that begins with ${text}.`
    : `no billing statement has the number ${text}.`;
  return new CentavoError('not_found', message, {
    code: 'statement_not_found',
    why: isId || isSequence(text) ? undefined : similarNumber(text.toUpperCase(), numbers),
    hint: `To list them: centavo billing-statements list${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });
}

const noneOfCustomer = (context: Context, text: string, {changes, status}: ReferenceOptions): CentavoError =>
  new CentavoError('not_found', `${quote(text)} has no ${status === undefined ? '' : `${status} `}billing statement.`, {
    code: 'statement_not_found',
    hint: `To list all of them: centavo billing-statements list --customer ${shellQuote(text)}${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });

/** The same sequence number with this or a similar prefix, or the newest number with this prefix. */
function similarNumber(typed: string, numbers: readonly string[]): string | undefined {
  const [prefix, sequence] = partsOf(typed);
  const known = numbers.map((number) => ({number, parts: partsOf(number)}));
  const alike = known.filter(({parts}) => parts[1] === sequence);
  const near = nearest(
    prefix,
    alike.map(({parts}) => parts[0]),
    Math.max(1, Math.floor(prefix.length / 4)),
  );
  const guess = alike.find(({parts}) => parts[0] === near);
  if (guess !== undefined) return `Did you mean ${guess.number}?`;
  const newest = known.find(({parts}) => parts[0] === prefix);
  return newest && `The newest number with this prefix is ${newest.number}.`;
}

/** `JEEPNEY` and `2` of `JEEPNEY-0002`. */
function partsOf(number: string): readonly [prefix: string, sequence: string] {
  const [, prefix = number, sequence = ''] = /^(.*)-0*(\d+)$/.exec(number) ?? [];
  return [prefix, sequence];
}

function noCustomer(
  context: Context,
  {kind, text}: Reference,
  customers: readonly FoundCustomer[],
  {changes}: ReferenceOptions,
): CentavoError {
  const message =
    kind === 'email'
      ? `no customer has the email address ${text}.`
      : kind === 'start'
        ? `no customer has an id that begins with ${text}.`
        : `no customer is called ${quote(text)}.`;
  const guess = kind === 'name' ? misspelled(text, customers) : undefined;
  return new CentavoError('not_found', message, {
    code: 'customer_not_found',
    why: guess && `Did you mean ${guess.name} <${guess.email}>?`,
    hint: `To list them: centavo customers list${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });
}

/** The customer with the name, or a word of a name, that is closest to what was typed. */
function misspelled(text: string, customers: readonly FoundCustomer[]): FoundCustomer | undefined {
  const byName = new Map(
    customers.flatMap((customer) =>
      [foldName(customer.name), ...wordsOfName(customer.name)].map((name) => [name, customer] as const),
    ),
  );
  const name = nearest(foldName(text), [...byName.keys()], Math.max(1, Math.floor(text.length / 4)));
  return name === undefined ? undefined : byName.get(name);
}
