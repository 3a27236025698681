// What a person should know before customers are changed: what they still owe, and who has the same email address.

import {customerOf, daysOverdue, numberOf, owedOn} from '../../api/statement.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {asking, type Change} from '../../guard/change.js';
import {shown, UNKNOWN_AMOUNT} from '../../guard/describe.js';
import {guardLookUp, type GuardFlags} from '../../guard/guard.js';
import {reading} from '../references/reading.js';

/** More statements, or customers, are only counted. */
const MOST_NAMED = 3;

/** The deletion of these customers, which says what they owe. Reads their statements once, unless nothing is shown. */
export async function sayingWhatIsOwed(
  context: Context,
  flags: GuardFlags,
  change: Change,
  ids: readonly string[],
): Promise<Change> {
  const {io} = context;
  const asks = io.canAsk && !flags.yes;
  const saying = async <T extends {readonly what: string}>(details: T): Promise<T> => ({
    ...details,
    what: `${details.what}${await owedWords(context, ids)}`,
  });
  // The guard looks up one customer itself; for several it shows what is known.
  if (asks || ids.length === 1) return {...change, lookUp: async () => saying(await change.lookUp!())};
  await guardLookUp(context, flags, change.known);
  return io.settings.quiet ? change : {...change, known: await saying(change.known)};
}

/** `, who owes ₱59,150.00 (₱31,000.00 overdue) on …`; empty if nothing is owed. */
async function owedWords(context: Context, ids: readonly string[]): Promise<string> {
  try {
    const {statementsOfCustomers} = await context.billing();
    const client = await context.client();
    const all = await reading(context, 'Looking through billing statements', (walk) =>
      statementsOfCustomers(client, ids, walk),
    );
    const now = await context.accountNow();
    const open = all.filter(({status}) => status === 'open');
    if (open.length === 0) return '';
    if (ids.length === 1) return `, who owes ${sumWords(open, now)} on ${listed(open.map(numberWords), ', ')}`;
    const owing = ids.map((id) => open.filter((each) => customerOf(each).id === id)).filter(({length}) => length > 0);
    const each = owing.map((own) => {
      const {name, id} = customerOf(own[0]!);
      return `${shown(name ?? id!)} ${sumWords(own, now)} on ${listed(own.map(numberWords), ', ')}`;
    });
    return `, who owe ${sumWords(open, now)}: ${listed(each, '; ')}`;
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    return ', although what is owed could not be read';
  }
}

const numberWords = (statement: Statement): string => shown(numberOf(statement) ?? statement.id);

function sumWords(statements: readonly Statement[], now: number): string {
  const sum = (some: readonly Statement[]): string =>
    some.some((each) => owedOn(each) === undefined)
      ? UNKNOWN_AMOUNT
      : formatPesos(some.reduce((total, each) => total + BigInt(owedOn(each)!), 0n));
  const late = statements.filter((each) => (daysOverdue(each, now) ?? 0) > 0);
  return `${sum(statements)}${late.length > 0 ? ` (${late.length === statements.length ? 'all' : sum(late)} overdue)` : ''}`;
}

const listed = (words: readonly string[], comma: string): string =>
  [...words.slice(0, MOST_NAMED), ...(words.length > MOST_NAMED ? [`${words.length - MOST_NAMED} more`] : [])].join(
    comma,
  );

/** Adds who else has the new email address to the question. @param id of the customer; undefined for a new one */
export async function askingIfShared(
  context: Context,
  change: Change,
  email: string,
  id: string | undefined,
): Promise<Change> {
  const {findCustomers} = await context.billing();
  const found = await findCustomers(await context.client(), {signal: context.signal}, {email});
  const [first, ...others] = found.filter((each) => each.id !== id);
  if (!first) return change;
  const count = others.length;
  const who =
    count === 0 ? `${shown(first.name)} has` : `${shown(first.name)} and ${count} other${count > 1 ? 's' : ''} have`;
  return asking(change, `, although ${who} the email address ${email} already`);
}
