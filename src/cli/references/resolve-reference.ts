// Finds the ids of objects: a customer by email address, name or part of one; a statement by number, its digits, the beginning of
// its id, or its customer.

import {customerOf, numberOf, subjectOf} from '../../api/statement.js';
import type {FoundCustomer} from '../../billing/account.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {KnownNumbers} from '../../billing/known-numbers.js';
import type {Context} from '../../context.js';
import {isSet} from '../../ground/environment.js';
import {CentavoError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {shown} from '../../guard/describe.js';
import {valid} from '../../input/fault.js';
import {isSequence, isStatementNumber} from '../../input/names.js';
import {statusWords} from '../objects/value-words.js';
import {choose, type Candidate, type Fitting} from './candidates.js';
import {noCustomer, noneOfCustomer, noStatement} from './nothing-found.js';
import {reading} from './reading.js';
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
