// Checks the debts of customers before they are deleted.

import {exactSum} from '../../accounting/movements.js';
import {isOwed, standingOf, type Standing} from '../../accounting/standing.js';
import {statementCustomerOf} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError, refusedError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import type {PlannedChange, PlannedChangeDetails} from '../../guard/change.js';
import {safeDisplayName, UNKNOWN_AMOUNT} from '../../guard/describe-change.js';
import {guardBeforeReading, type GuardFlags} from '../../guard/guard.js';
import {withReadingProgress} from '../account-reads.js';

/** Maximum number of statements or customers to name. The rest are only counted. */
const MAX_NAMED_STATEMENTS = 3;

/**
 * Adds the customers' debts to the question before a deletion. Without a question, refuses to delete a customer who
 * owes, unless `--allow-owed` is given.
 */
export async function guardDebtors(
  context: Context,
  flags: GuardFlags,
  change: PlannedChange,
  ids: readonly string[],
): Promise<PlannedChange> {
  const lookUp = async (): Promise<PlannedChangeDetails> => {
    const [details, debtors] = [await change.lookUp!(), await readDebtors(context, ids)];
    if (debtors.length === 0) return details;
    const owe = ids.length === 1 ? 'owes' : 'owe';
    return {...details, action: `${details.action}, who ${owe} ${owedText(debtors, ids.length)}`};
  };
  if (context.io.canConfirm && !flags.yes) return {...change, lookUp};
  await guardBeforeReading(context, flags, change.known);
  const debtors = flags['allow-owed'] ? [] : await readDebtors(context, ids);
  if (debtors.length === 0) return change;
  const who = debtors.length === 1 ? `${debtors[0]!.name} owes` : 'these customers owe';
  throw refusedError('customer_owes', `${who} ${owedText(debtors)}.`, {
    why: 'Their billing statements stay open.',
    override: '--allow-owed',
  });
}

/** A customer who owes, with the standings of the unpaid statements. */
interface Debtor {
  readonly name: string;
  readonly owed: readonly Standing[];
}

async function readDebtors(context: Context, ids: readonly string[]): Promise<readonly Debtor[]> {
  const {statementsOfCustomers} = await context.billing();
  const client = await context.client();
  const all = await withReadingProgress(context, 'Looking through billing statements', (options) =>
    statementsOfCustomers(client, ids, options),
  ).catch((error: unknown) => {
    throw error instanceof CentavoError ? error.with({applied: 'no'}) : error;
  });
  const now = await context.accountNow();
  return ids.flatMap((id) => {
    const own = all.filter((each) => statementCustomerOf(each).id === id);
    const owed = own.map((each) => standingOf(each, {}, now)).filter(isOwed);
    return owed.length === 0 ? [] : [{name: safeDisplayName(statementCustomerOf(own[0]!).name ?? id), owed}];
  });
}

/** `₱59,150.00 (₱31,000.00 overdue) on ANA-0001`; of several customers, the sum and each debt. */
function owedText(debtors: readonly Debtor[], customers = debtors.length): string {
  const numbers = (owed: readonly Standing[]): string[] => owed.map(({name}) => safeDisplayName(name));
  const debts = debtors.map(({owed}) => `${sumText(owed)} on ${joinLimited(numbers(owed), ', ')}`);
  if (customers === 1) return debts[0]!;
  const each = debtors.map(({name}, index) => `${name} ${debts[index]}`);
  return `${sumText(debtors.flatMap(({owed}) => owed))}: ${joinLimited(each, '; ')}`;
}

function sumText(standings: readonly Standing[]): string {
  const sum = (part: readonly Standing[]): string =>
    part.some(({balance}) => balance === null)
      ? UNKNOWN_AMOUNT
      : formatPesos(exactSum(part.map(({balance}) => balance!)));
  const late = standings.filter(({state}) => state === 'overdue');
  return `${sum(standings)}${late.length > 0 ? ` (${late.length === standings.length ? 'all' : sum(late)} overdue)` : ''}`;
}

const joinLimited = (words: readonly string[], comma: string): string =>
  [
    ...words.slice(0, MAX_NAMED_STATEMENTS),
    ...(words.length > MAX_NAMED_STATEMENTS ? [`${words.length - MAX_NAMED_STATEMENTS} more`] : []),
  ].join(comma);
