// Finds customers by email address, name or the start of an id. In the sandbox, finds any object by the start of its id.
// Finds statements by number, its digits, the start of an id, the customer, or a number in the metadata.

import {shapes} from '../../api/registry.js';
import {STATE_WORDS, stateLabel} from '../../accounting/words.js';
import {
  statementCustomerOf,
  statementNumberOf,
  statementName,
  statementSubjectOf,
  type StatementCustomer,
} from '../../api/statement.js';
import type {HistorySubject} from '../../history/history.js';
import type {FoundCustomer, SearchedStatements} from '../../billing/account/account-reader.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {StatementNumberCache} from '../../billing/account/lookup-cache.js';
import type {Context} from '../../context/context.js';
import {CentavoError, nextCommand, refusedError, usageError, type NextCommand} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {safeDisplayName} from '../../guard/describe-change.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {normalizeName, isStatementNumber, wordsOfName} from '../../input/names.js';
import {nearestWord} from '../../input/nearest.js';
import {accountArgs, nextStep} from '../next-steps.js';
import {lookupCacheOptions, withReadingProgress} from '../account-reads.js';
import {wholeId} from './local-ids.js';
import {needsLookup, readReference, type Reference, type ReferenceOptions} from './references.js';

export async function resolveReference(
  context: Context,
  prefix: string,
  text: string,
  options: ReferenceOptions,
): Promise<string> {
  const [id] = await resolveReferences(context, prefix, [valueOrThrow(readReference(text, prefix))], options);
  return id!;
}

/** Returns the ids in the order of the references. References that are ids are not looked up. */
export async function resolveReferences(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (!needsLookup(references)) return references.map(({text}) => text);
  const {flags, resolved} = context;
  const stored = references.map(({kind, text}) => (kind === 'id' ? text : resolved.get(`${prefix} ${text}`)));
  if (flags.plannedAt !== undefined && !stored.includes(undefined)) return stored as string[];
  try {
    const ids = await lookUp(context, prefix, references, options);
    for (const [index, {text}] of references.entries()) resolved.set(`${prefix} ${text}`, ids[index]!);
    return ids;
  } catch (error) {
    // The lookup comes before any change, so the error can say that nothing was changed.
    if (!options.changes || !(error instanceof CentavoError) || error.details.applied !== undefined) throw error;
    throw error.with({applied: 'no'});
  }
}

async function lookUp(context: Context, prefix: string, references: readonly Reference[], options: ReferenceOptions) {
  if (prefix === 'bstm_li_') {
    const {findItems} = await import('./resolve-item.js');
    return findItems(context, references, (name) =>
      resolveReference(context, 'bstm_', name, {...options, namedInQuestion: true}),
    );
  }
  if (prefix !== 'bstm_' && prefix !== 'cus_')
    return Promise.all(references.map((reference) => completedId(context, prefix, reference, options)));
  const match = prefix === 'bstm_' ? matchStatements : matchCustomers;
  const found = await match(context, references, options);
  return chosenIds(context, prefix, references, found, options);
}

/** Completes an id that no list of the API is searched for. @throws usage error for a cut id on a real account */
async function completedId(
  context: Context,
  prefix: string,
  {kind, text, isCut}: Reference,
  {changes}: ReferenceOptions,
): Promise<string> {
  if (kind !== 'start') return text;
  const typed = isCut ? `${text}…` : text;
  if ((await context.connection()).mode === 'sandbox') return wholeId(context, typed, [await context.sandbox()]);
  if (!isCut) return text;
  const id = changes
    ? typed
    : await wholeId(context, typed, [await context.history(), await context.deliveries()], typed);
  if (id !== typed) return id;
  throw usageError('invalid_id', `${typed} is only the start of an id.`, {
    why: `centavo does not search the account for ${shapes.get(prefix)!.title}s by it.`,
    hint: 'Lists print whole ids with --fields id.',
  });
}

/** Why a change in live mode does not use the start of an id without a question. */
async function startGuess(context: Context, {kind, text}: Reference, {changes}: ReferenceOptions) {
  const isRisky = kind === 'start' && changes && (await context.connection()).mode === 'live';
  return isRisky ? `${quote(text)} is only the start of an id.` : undefined;
}

/** Number of cached ids up to which single reads are faster than one list. */
const MAX_DIRECT_READS = 10;

const namesCustomer = ({kind}: Reference): boolean => kind === 'email' || kind === 'name';

/** Returns the statements that match each reference, by the reference's text. Ids are left out. */
async function matchStatements(context: Context, references: readonly Reference[], options: ReferenceOptions) {
  const {matchesCustomer, hasStatementNumber, searchStatements, findStatementById} = await context.billing();
  const cache = await numberCacheOf(context);
  const client = await context.client();
  const wanted = [...new Map(references.filter(({kind}) => kind !== 'id').map((each) => [each.text, each])).values()];
  const found = new Map<string, ReferenceMatches>();
  const stale: string[] = [];
  for (const {text} of wanted.length > MAX_DIRECT_READS ? [] : wanted) {
    const id = cache?.get(text);
    if (id === undefined) continue;
    const statement = await findStatementById(client, id, {signal: context.signal});
    if (statement && hasStatementNumber(statement, text)) found.set(text, {candidates: [candidateOf(statement)]});
    else stale.push(text);
  }
  const missing = wanted.filter(({text}) => !found.has(text));
  if (missing.length === 0) return found;
  const {payers, all} = await payersOf(context, missing.filter(namesCustomer), {});
  const isPaidBy = ({text}: Reference) => {
    const ids = new Set(payers.get(text)?.customers.map(({id}) => id));
    // Without a current customer, match the customer data in statements: the customer may be deleted.
    return (customer: StatementCustomer): boolean =>
      ids.size > 0 ? ids.has(customer.id ?? '') : matchesCustomer(customer, text);
  };
  const search = await withReadingProgress(context, 'Looking through billing statements', (options) =>
    searchStatements(
      client,
      missing.map((each) => ({text: each.text, ...(namesCustomer(each) && {isPaidBy: isPaidBy(each)})})),
      options,
    ),
  );
  cache?.update(search.numbers, stale);
  for (const reference of missing) {
    const {text} = reference;
    const isMissing = !search.found.has(text) && !search.own.has(text) && !payers.has(text);
    if (isMissing && namesCustomer(reference) && !HAS_DIGIT.test(text))
      throw customerNotFound(context, reference, all, options, findStep(context, text));
    if (isMissing) throw statementNotFound(context, reference, [...search.numbers.keys()], options);
    found.set(text, await matchesOf(context, reference, payers.get(text), search, options));
  }
  return found;
}

const HAS_DIGIT = /\d/;

/**
 * A whole match goes before a part: a statement's number, a customer's name or address, and an own number (a metadata
 * value) of no customer's name. Then digits of a number and part of a name, which a change without a terminal refuses.
 */
async function matchesOf(
  context: Context,
  reference: Reference,
  payers: Payers | undefined,
  {found, own}: SearchedStatements,
  options: ReferenceOptions,
): Promise<ReferenceMatches> {
  const {text, kind} = reference;
  const [matching, owned] = [found.get(text) ?? [], own.get(text) ?? []];
  const isPart = kind === 'sequence' || payers?.guess !== undefined;
  const isByOwnNumber = owned.length > 0 && (isPart || (matching.length === 0 && payers === undefined));
  const byCustomer = !isByOwnNumber && namesCustomer(reference);
  const statements = isByOwnNumber ? owned : matching;
  const {status} = byCustomer || isByOwnNumber ? options : {};
  const inStatus = statements.filter((each) => status === undefined || [status].flat().includes(String(each.status)));
  // Keep a single statement in another status: the command's own error explains the problem best.
  const isForVerb = inStatus.length === 0 && statements.length === 1 && (isByOwnNumber || !options.changes);
  const fitting = isForVerb ? statements : inStatus;
  if (fitting.length === 0) throw await noneInStatus(context, text, statements, options);
  const guess = isByOwnNumber
    ? undefined
    : byCustomer
      ? payers
        ? payers.guess
        : deletedCustomerText(text)
      : kind === 'sequence'
        ? partialNumberText(text)
        : await startGuess(context, reference, options);
  const isChoice = fitting.length > 1 || guess !== undefined;
  const details = isChoice && context.io.canAsk ? await stateLabelsOf(context, fitting) : [];
  return {candidates: fitting.map((each, index) => candidateOf(each, details[index])), guess};
}

const partialNumberText = (text: string): string => `${quote(text)} is only part of a billing statement number.`;
const deletedCustomerText = (text: string): string => `${quote(text)} matches a deleted customer.`;

/** Returns the cache of the account's statement numbers; undefined if CENTAVO_NO_CACHE is set. */
async function numberCacheOf(context: Context): Promise<StatementNumberCache | undefined> {
  const options = await lookupCacheOptions(context);
  return options && (await context.lookupCache()).statementNumberCache(options);
}

/**
 * Caches statement ids by number. A later command then reads the statement in one request, even before lists have it.
 * @returns false if the cache is disabled
 */
export async function rememberNumbers(context: Context, ids: ReadonlyMap<string, string>): Promise<boolean> {
  const known = await numberCacheOf(context);
  known?.update(ids);
  return known !== undefined;
}

/** @param detail the state, for a choice */
function candidateOf(statement: BillingStatementData, detail?: string): ReferenceCandidate {
  const {name, id} = statementCustomerOf(statement);
  const amount = typeof statement.amount === 'number' ? ` of ${formatPesos(statement.amount)}` : '';
  const payer = name ?? id;
  const number = statementNumberOf(statement);
  return {
    id: statement.id,
    subject: statementSubjectOf(statement),
    words: `${number ?? 'without a number'}${amount}${payer === undefined ? '' : ` for ${safeDisplayName(payer)}`}`,
    detail,
    ...(number !== undefined && isStatementNumber(number) && {number}),
  };
}

/** `overdue 3 days`, `draft`, `settled 12 Nov` */
async function stateLabelsOf(context: Context, statements: readonly BillingStatementData[]): Promise<string[]> {
  const {standingsOf} = await import('../presentation/standings.js');
  const standings = await standingsOf(context, statements);
  return statements.map(({id}) => stateLabel(standings.get(id)!, context.displayNow(), false).text);
}

async function matchCustomers(context: Context, references: readonly Reference[], options: ReferenceOptions) {
  const {distinguishingDetails} = await context.billing();
  const client = await context.client();
  const {payers, all} = await payersOf(context, references, options);
  const found = new Map<string, ReferenceMatches>();
  for (const reference of references) {
    const {text, kind} = reference;
    if (kind === 'id' || found.has(text)) continue;
    const named = payers.get(text);
    if (!named) throw customerNotFound(context, reference, all, options);
    const distinctions = await withReadingProgress(context, 'Looking through billing statements', (options) =>
      distinguishingDetails(client, named.customers, context.displayNow(), options),
    );
    const candidates = named.customers.map(({id, name, email, isDeleted}) => ({
      id,
      words: `${safeDisplayName(name)} <${email}>${isDeleted ? ' (deleted)' : ''}`,
      detail: distinctions.get(id),
    }));
    found.set(text, {candidates, guess: named.guess ?? (await startGuess(context, reference, options))});
  }
  return found;
}

interface Payers {
  readonly customers: readonly FoundCustomer[];
  readonly guess?: string;
}

/** Returns the customers that match each reference, by its text. `all` is empty if not every customer was read. */
async function payersOf(
  context: Context,
  references: readonly Reference[],
  {withDeleted}: Pick<ReferenceOptions, 'withDeleted'>,
): Promise<{readonly payers: ReadonlyMap<string, Payers>; readonly all: readonly FoundCustomer[]}> {
  const {findCustomersByName, deletedCustomers, findCustomers} = await context.billing();
  const client = await context.client();
  const search = (filter?: {readonly email?: string; readonly name?: string}) =>
    withReadingProgress(context, 'Looking through customers', (options) => findCustomers(client, options, filter));
  let everyCustomer: readonly FoundCustomer[] | undefined;
  const all = async () => (everyCustomer ??= await search());
  const payers = new Map<string, Payers>();
  for (const {kind, text} of references) {
    if (kind === 'id' || payers.has(text)) continue;
    let customers: readonly FoundCustomer[];
    let guess: string | undefined;
    if (kind === 'email') customers = await search({email: text});
    else if (kind === 'start') customers = (await all()).filter(({id}) => id.startsWith(text));
    else {
      customers = await search({name: text});
      if (customers.length === 0) {
        const similar = findCustomersByName(await all(), text);
        if (!similar.isWhole) guess = `${quote(text)} is only part of a customer’s name.`;
        customers = similar.found;
      }
    }
    if (customers.length === 0 && withDeleted) {
      customers = await withReadingProgress(context, 'Looking through billing statements', (options) =>
        deletedCustomers(client, text, options),
      );
      guess = deletedCustomerText(text);
    }
    if (customers.length > 1) guess ??= `${quote(text)} matches ${customers.length} customers.`;
    if (customers.length > 0) payers.set(text, {customers, guess});
  }
  return {payers, all: everyCustomer ?? []};
}

const MAX_SHOWN_CANDIDATES = 10;

async function chosenIds(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  found: ReadonlyMap<string, ReferenceMatches>,
  options: ReferenceOptions,
): Promise<string[]> {
  const chosen = new Map<string, ReferenceCandidate>();
  const unshown: ReferenceCandidate[] = [];
  for (const [text, fitting] of found) {
    const {chosen: candidate, wasConfirmed} = await chooseCandidate(context, prefix, text, fitting, options);
    chosen.set(text, candidate);
    if (!wasConfirmed) unshown.push(candidate);
  }
  const isGuess = [...found.values()].some(({guess}) => guess !== undefined);
  // Errors suggest commands with a statement's number, or with typed text that names exactly one customer.
  for (const {kind, text} of references) {
    const {candidates = [], guess} = found.get(text) ?? {};
    if (kind === 'id' || kind === 'start') continue;
    const {id, number} = chosen.get(text)!;
    if (
      prefix === 'bstm_' &&
      number !== undefined &&
      candidates.every((each) => each.id === id || each.number !== number)
    )
      context.names.set(id, number);
    else if (prefix === 'cus_' && candidates.length === 1 && guess === undefined) context.names.set(id, text);
  }
  for (const {id, subject} of chosen.values()) if (subject) context.subjects.set(id, subject);
  const {io} = context;
  const hasStart = references.some(({kind}) => kind === 'start');
  if ((options.changes && !options.namedInQuestion) || isGuess || hasStart) {
    // Logs also get the id. "Found" keeps a customer's name from starting a line.
    const lineOf = ({words, id}: ReferenceCandidate): string =>
      `${prefix === 'cus_' ? 'Found ' : ''}${words}${io.stdoutIsTerminal ? '' : `, ${id}`}`;
    for (const each of unshown.slice(0, MAX_SHOWN_CANDIDATES)) io.note(lineOf(each), {style: 'dim'});
    if (unshown.length > MAX_SHOWN_CANDIDATES)
      io.note(`and ${unshown.length - MAX_SHOWN_CANDIDATES} more`, {style: 'dim'});
  }
  return references.map(({text}) => chosen.get(text)?.id ?? text);
}

interface ReferenceCandidate {
  readonly id: string;
  /** `Juan Dela Cruz <juan@example.com>` */
  readonly words: string;
  readonly detail?: string;
  /** Number of a statement; `words` contains it too. */
  readonly number?: string;
  readonly subject?: HistorySubject;
}

interface ReferenceMatches {
  readonly candidates: readonly ReferenceCandidate[];
  /** A sentence: why a change without a terminal cannot use the match. */
  readonly guess?: string;
}

/** With more candidates, the user searches by typing. */
const MAX_SELECT_CHOICES = 7;
const MAX_NAMED_CANDIDATES = 3;

/** Returns the candidate's text, with the id if another candidate looks the same. */
const candidateName = ({words, detail, id}: ReferenceCandidate, candidates: readonly ReferenceCandidate[]): string =>
  candidates.some((each) => each.id !== id && each.words === words && each.detail === detail)
    ? `${words}  ${id}`
    : words;

/** Asks the user to choose a candidate, or to confirm a guess before a change. Throws without a terminal. */
async function chooseCandidate(
  {io, prompt}: Context,
  prefix: string,
  text: string,
  {candidates, guess}: ReferenceMatches,
  {changes}: ReferenceOptions,
): Promise<{readonly chosen: ReferenceCandidate; readonly wasConfirmed: boolean}> {
  const {title} = shapes.get(prefix)!;
  const [first] = candidates as [ReferenceCandidate];
  const needsPerson = candidates.length > 1 || (changes && guess !== undefined);
  if (!needsPerson) return {chosen: first, wasConfirmed: false};
  if (!io.canAsk) throw ambiguousReference(prefix, text, {candidates, guess}, changes);
  const named = candidates.map((each) => ({name: candidateName(each, candidates), detail: each.detail, value: each}));
  if (candidates.length === 1) {
    const name = [first.words, first.detail].filter(Boolean).join(', ');
    if (await prompt.confirm(`Do you mean ${name}?`)) return {chosen: first, wasConfirmed: true};
    throw refusedError('not_confirmed', 'not confirmed.');
  }
  if (candidates.length > MAX_SELECT_CHOICES)
    return {chosen: await prompt.search(`Which ${title}?`, named), wasConfirmed: true};
  const question = `${quote(text)} matches ${candidates.length} ${title}s. Which one?`;
  const choices = named.map(({name, detail, value}) => ({name: [name, detail].filter(Boolean).join(', '), value}));
  return {chosen: await prompt.select(question, choices), wasConfirmed: true};
}

function ambiguousReference(prefix: string, text: string, {candidates, guess}: ReferenceMatches, changes: boolean) {
  const {title} = shapes.get(prefix)!;
  const isCustomer = prefix === 'cus_';
  // Two statements may have the same number.
  const numbers = candidates.map(({number}) => number);
  const hasNumbers = !numbers.includes(undefined) && new Set(numbers).size === numbers.length;
  const named = candidates
    .slice(0, MAX_NAMED_CANDIDATES)
    .map(({words, detail, id}) => (hasNumbers ? words : `${words}${isCustomer && detail ? ` (${detail})` : ''} ${id}`));
  const more = candidates.length - named.length;
  const code = isCustomer ? 'customer_ambiguous' : 'statement_ambiguous';
  const listed = {candidates: candidates.map(({id, number, words}) => ({id, name: number ?? words}))};
  // Not "Nothing was sent.", because the lookup sent requests.
  const changed = changes ? 'Nothing was changed.' : '';
  if (candidates.length === 1)
    return usageError(code, guess!, {
      changed,
      why: `Without a terminal, a change needs ${isCustomer ? '' : 'a full number, '}an id, an email address or a full name.`,
      hint: `Did you mean ${named[0]}?`,
      ...listed,
    });
  return usageError(code, `${quote(text)} matches ${candidates.length} ${title}s.`, {
    changed,
    hint: `Use one of these ${hasNumbers ? 'numbers' : 'ids'}: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    ...listed,
  });
}

function statementNotFound(
  context: Context,
  {kind, text}: Reference,
  numbers: readonly string[],
  {changes, alsoPayments}: ReferenceOptions,
): CentavoError {
  const payments = alsoPayments ? ', and no checkout session or payment intent has that reference' : '';
  const message =
    kind === 'start'
      ? `no billing statement id starts with ${text}.`
      : kind === 'name'
        ? `no billing statement has the number ${quote(text)}, and no customer has that name.`
        : `no billing statement has the number ${text}${payments}.`;
  const similar = kind === 'number' || kind === 'name' ? similarNumber(text.toUpperCase(), numbers) : undefined;
  return new CentavoError('not_found', message, {
    code: 'statement_not_found',
    why: similar,
    next: [
      ...(payments && kind === 'number' && similar === undefined
        ? [nextCommand('To list checkout sessions', 'checkout-sessions list', accountArgs(context))]
        : []),
      kind === 'name'
        ? findStep(context, text)
        : nextCommand('To list them', 'billing-statements list', accountArgs(context)),
    ],
    ...(changes && {applied: 'no'}),
  });
}

/** Returns the error for a customer without a statement in the wanted status; names the other statements. */
async function noneInStatus(
  context: Context,
  text: string,
  statements: readonly BillingStatementData[],
  {changes, status = []}: ReferenceOptions,
): Promise<CentavoError> {
  const account = accountArgs(context);
  const shown = statements.slice(0, MAX_NAMED_CANDIDATES);
  const labels = await stateLabelsOf(context, shown);
  const words = shown.map((each, index) => `${statementName(each)} (${labels[index]})`);
  const more = statements.length - words.length;
  const [only, another] = statements;
  const wanted = [status].flat().join(' or ');
  return new CentavoError('not_found', `${quote(text)} has no ${wanted && `${wanted} `}billing statement.`, {
    code: 'statement_not_found',
    why: only && `There ${another ? 'are' : 'is'} ${[...words, ...(more > 0 ? [`${more} more`] : [])].join(', ')}.`,
    next: [
      !only
        ? nextCommand('To create one', 'bill', text, account)
        : another
          ? nextCommand('To list all of them', 'billing-statements list --customer', text, account)
          : nextStep(labels[0] === STATE_WORDS.draft.label ? 'finalize_if_right' : 'see', statementName(only), account),
    ],
    ...(changes && {applied: 'no'}),
  });
}

/** Returns a sentence with a similar number, or else the newest number with this prefix. */
function similarNumber(typed: string, numbers: readonly string[]): string | undefined {
  const [prefix, sequence] = numberPartsOf(typed);
  const known = numbers.map((number) => ({number, parts: numberPartsOf(number)}));
  const alike = known.filter(({parts}) => parts[1] === sequence);
  const near = nearestWord(
    prefix,
    alike.map(({parts}) => parts[0]),
    Math.max(1, Math.floor(prefix.length / 4)),
  );
  const guess = alike.find(({parts}) => parts[0] === near);
  if (guess !== undefined) return `Did you mean ${guess.number}?`;
  const close = sequence === '' ? nearestWord(typed, numbers, 2) : undefined;
  if (close !== undefined) return `Did you mean ${close}?`;
  const newest = known.find(({parts}) => parts[0] === prefix);
  return newest && `The newest number with this prefix is ${newest.number}.`;
}

/** Splits `JEEPNEY-0002` into `JEEPNEY` and `2`. */
function numberPartsOf(number: string): readonly [prefix: string, sequence: string] {
  const [, prefix = number, sequence = ''] = /^(.*)-0*(\d+)$/.exec(number) ?? [];
  return [prefix, sequence];
}

function customerNotFound(
  context: Context,
  {kind, text}: Reference,
  customers: readonly FoundCustomer[],
  {changes}: ReferenceOptions,
  step = createStep(context, kind === 'email' ? '--email' : '--name', text),
): CentavoError {
  const message =
    kind === 'email'
      ? `no customer has the email address ${text}.`
      : kind === 'start'
        ? `no customer id starts with ${text}.`
        : `no customer is called ${quote(text)}.`;
  const guess = kind === 'name' ? similarCustomer(text, customers) : undefined;
  return new CentavoError('not_found', message, {
    code: 'customer_not_found',
    why: guess && `Did you mean ${guess.name} <${guess.email}>?`,
    next: [
      // A name that is like another is most often a slip.
      ...(kind === 'start' || guess ? [] : [step]),
      nextCommand('To list them', 'customers list', accountArgs(context)),
    ],
    ...(changes && {applied: 'no'}),
  });
}

const createStep = (context: Context, flag: string, text: string): NextCommand =>
  nextCommand('To add this customer', 'customers create', flag, text, accountArgs(context));

const findStep = (context: Context, text: string): NextCommand =>
  nextCommand('To search names, numbers and amounts', 'find', text, accountArgs(context));

/** Returns the customer whose name, word in the name, or address before the @ is closest to the typed text. */
function similarCustomer(text: string, customers: readonly FoundCustomer[]): FoundCustomer | undefined {
  const byName = new Map(
    customers.flatMap((customer) =>
      [...[customer.name, customer.email.split('@')[0]!].map(normalizeName), ...wordsOfName(customer.name)].map(
        (name) => [name, customer] as const,
      ),
    ),
  );
  const name = nearestWord(normalizeName(text), [...byName.keys()], Math.max(1, Math.floor(text.length / 4)));
  return name === undefined ? undefined : byName.get(name);
}
