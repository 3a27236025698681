// Finds billing statements by number, by its digits, by the beginning of an id, or by customer.

import {customerOf, numberOf, subjectOf} from '../../api/statement.js';
import type {FoundStatement} from '../../billing/find.js';
import type {KnownNumbers} from '../../billing/known-numbers.js';
import type {Context} from '../../context.js';
import {isSet} from '../../ground/environment.js';
import {formatPesos} from '../../ground/pesos.js';
import {shown} from '../../guard/describe.js';
import {isSequence, isStatementNumber} from '../../input/names.js';
import {statusWords} from '../objects/value-words.js';
import {walking, type Candidate, type Fitting} from './candidates.js';
import {noneOfCustomer, noStatement} from './nothing-found.js';
import type {Reference, ReferenceOptions} from './references.js';

/** More ids are found sooner in the list than one by one. */
const MOST_CHECKED = 10;

/** The statements that fit each reference that is no id, by its text. */
export async function findStatements(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
  findCustomer: (reference: Reference) => Promise<string>,
): Promise<Map<string, Fitting>> {
  const found = new Map<string, Fitting>();
  const isOfCustomer = ({kind}: Reference): boolean => kind === 'email' || kind === 'name';
  const texts = references.filter((each) => each.kind !== 'id' && !isOfCustomer(each)).map(({text}) => text);
  await findByNumber(context, [...new Set(texts)], options, found);
  for (const reference of references.filter(isOfCustomer)) {
    const own = await statementsOf(context, reference, options, findCustomer);
    // The customer was typed.
    const candidates = own.map((statement) => candidateOf(context, statement, {payer: false}));
    found.set(reference.text, {candidates, isGuess: true});
  }
  return found;
}

async function findByNumber(
  context: Context,
  wanted: readonly string[],
  options: ReferenceOptions,
  found: Map<string, Fitting>,
): Promise<void> {
  if (wanted.length === 0) return;
  const billing = await context.billing();
  const known = await knownNumbersOf(context);
  const client = await context.client();
  const gone: string[] = [];
  for (const text of wanted.length > MOST_CHECKED ? [] : wanted) {
    const id = known?.idOf(text);
    if (id === undefined) continue;
    const statement = await billing.statementWithNumber(client, id, text, {signal: context.signal});
    if (statement) found.set(text, {candidates: [candidateOf(context, statement)], isGuess: false});
    else gone.push(text);
  }
  const missing = wanted.filter((text) => !found.has(text));
  if (missing.length === 0) return;
  const walked = await walking(context, 'billing statements', (walk) =>
    billing.searchStatements(client, missing, walk),
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
}

async function statementsOf(
  context: Context,
  reference: Reference,
  options: ReferenceOptions,
  findCustomer: (reference: Reference) => Promise<string>,
): Promise<readonly FoundStatement[]> {
  const {statementsOfCustomers} = await context.billing();
  const customer = await findCustomer(reference);
  const client = await context.client();
  const own = await walking(context, 'billing statements', (walk) => statementsOfCustomers(client, [customer], walk));
  const fitting = options.status === undefined ? own : own.filter(({status}) => status === options.status);
  if (fitting.length === 0) throw noneOfCustomer(context, reference.text, options);
  return fitting;
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

function candidateOf(context: Context, statement: FoundStatement, {payer} = {payer: true}): Candidate {
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
