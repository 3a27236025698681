// Warns before customers are changed: of their debts, and of other customers with the same email address.

import {statementCustomerOf, daysOverdue, statementNumberOf, amountOwed} from '../../api/statement.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {withConfirmation, type PlannedChange, type PlannedChangeDetails} from '../../guard/change.js';
import {safeDisplayName, UNKNOWN_AMOUNT} from '../../guard/describe-change.js';
import {guardBeforeReading, type GuardFlags} from '../../guard/guard.js';
import {withReadingProgress} from '../account-reads.js';

/** Maximum number of statements or customers to name. The rest are only counted. */
const MAX_NAMED_STATEMENTS = 3;

/** Adds the customers' debts to the planned deletion. Reads all statements once, or none if nothing is shown. */
export async function warnAboutDebt(
  context: Context,
  flags: GuardFlags,
  change: PlannedChange,
  ids: readonly string[],
): Promise<PlannedChange> {
  const {io} = context;
  const asks = io.canAsk && !flags.yes;
  const withDebt = async (details: PlannedChangeDetails): Promise<PlannedChangeDetails> => ({
    ...details,
    action: `${details.action}${await debtText(context, ids)}`,
  });
  // The guard looks up a single customer itself; for several customers it shows these details.
  if (asks || ids.length === 1) return {...change, lookUp: async () => withDebt(await change.lookUp!())};
  await guardBeforeReading(context, flags, change.known);
  return io.settings.quiet ? change : {...change, known: await withDebt(change.known)};
}

/** `, who owes ₱59,150.00 (₱31,000.00 overdue) on …`; empty if nothing is owed. */
async function debtText(context: Context, ids: readonly string[]): Promise<string> {
  try {
    const {statementsOfCustomers} = await context.billing();
    const client = await context.client();
    const all = await withReadingProgress(context, 'Looking through billing statements', (options) =>
      statementsOfCustomers(client, ids, options),
    );
    const now = await context.accountNow();
    const open = all.filter(({status}) => status === 'open');
    if (open.length === 0) return '';
    if (ids.length === 1) return `, who owes ${sumText(open, now)} on ${joinLimited(open.map(numberText), ', ')}`;
    const owing = ids
      .map((id) => open.filter((each) => statementCustomerOf(each).id === id))
      .filter(({length}) => length > 0);
    const debts = owing.map((theirs) => {
      const {name, id} = statementCustomerOf(theirs[0]!);
      return `${safeDisplayName(name ?? id!)} ${sumText(theirs, now)} on ${joinLimited(theirs.map(numberText), ', ')}`;
    });
    return `, who owe ${sumText(open, now)}: ${joinLimited(debts, '; ')}`;
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    return ' (the amount owed could not be read)';
  }
}

const numberText = (statement: BillingStatementData): string =>
  safeDisplayName(statementNumberOf(statement) ?? statement.id);

function sumText(statements: readonly BillingStatementData[], now: number): string {
  const sum = (part: readonly BillingStatementData[]): string =>
    part.some((each) => amountOwed(each) === undefined)
      ? UNKNOWN_AMOUNT
      : formatPesos(part.reduce((total, each) => total + BigInt(amountOwed(each)!), 0n));
  const late = statements.filter((each) => (daysOverdue(each, now) ?? 0) > 0);
  return `${sum(statements)}${late.length > 0 ? ` (${late.length === statements.length ? 'all' : sum(late)} overdue)` : ''}`;
}

const joinLimited = (words: readonly string[], comma: string): string =>
  [
    ...words.slice(0, MAX_NAMED_STATEMENTS),
    ...(words.length > MAX_NAMED_STATEMENTS ? [`${words.length - MAX_NAMED_STATEMENTS} more`] : []),
  ].join(comma);

/** Adds to the question which other customers have the email address. @param id the changed customer, if any */
export async function confirmSharedEmail(
  context: Context,
  change: PlannedChange,
  email: string,
  id: string | undefined,
): Promise<PlannedChange> {
  const {findCustomers} = await context.billing();
  const found = await findCustomers(await context.client(), {signal: context.signal}, {email});
  const [first, ...rest] = found.filter((each) => each.id !== id);
  if (!first) return change;
  const count = rest.length;
  const who =
    count === 0
      ? `${safeDisplayName(first.name)} already has`
      : `${safeDisplayName(first.name)} and ${count} other${count > 1 ? 's' : ''} already have`;
  return withConfirmation(change, `, although ${who} the email address ${email}`);
}
