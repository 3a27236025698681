// Explains how a row differs from the statement that billed it before, and how to correct the statement.

import {replacedBy} from '../../../accounting/replacements.js';
import {isPayable} from '../../../accounting/standing.js';
import {statementCustomerOf, dueTimeOf, statementName} from '../../../api/statement.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {JobFile} from '../job/job-file.js';
import {accountArgs, nextStep, type StepId} from '../../../cli/next-steps.js';
import {readStanding} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import type {FileFault} from '../../../common/errors.js';
import {manilaDay, shortDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {dateText} from '../../../input/dates.js';
import type {StatementItem} from '../../../input/items.js';
import {isNumbered} from '../../../input/own-numbers.js';
import {itemText} from '../../statement/cli/explain-stop.js';
import {formatBilledAs, type RowPlace} from './plan-output.js';

/** Maximum changes that an error lists, and maximum items in a suggested command. */
const MAX_NAMED_CHANGES = 5;

const formatPrice = ({quantity, unit_price: price}: StatementItem): string => `${quantity} × ${formatPesos(price)}`;
const formatItem = (item: StatementItem): string => `${JSON.stringify(item.description)} ${formatPrice(item)}`;

export async function changedRowError(
  context: Context,
  job: JobFile,
  {row, statement}: ExistingStatement,
  place: RowPlace,
): Promise<FileFault> {
  const {editsOf, fixedDueOf, itemsOf} = await context.imports();
  const dueAt = fixedDueOf(row);
  const [items, due, now] = [job.itemsOf(row.n), dueTimeOf(statement), await context.accountNow()];
  const {changed, added, removed} = editsOf(items, itemsOf(statement));
  const isOtherItems = changed.length + added.length + removed.length > 0;
  const isOtherDue = dueAt !== null && (due === undefined || manilaDay(due) !== manilaDay(dueAt));
  const isOtherPayer = job.customer(row.customer)?.id !== statementCustomerOf(statement).id;
  const differences = [
    ...(isOtherPayer ? ['it bills another customer'] : []),
    ...changed.map(
      ({from, to}) =>
        `${formatItem(from)} is ${(from.description === to.description ? formatPrice : formatItem)(to)} now`,
    ),
    ...added.map((item) => `${formatItem(item)} is new`),
    ...removed.map((item) => `${formatItem(item)} was removed`),
    ...(isOtherDue
      ? [`it is due ${shortDay(dueAt, now)}${due === undefined ? '' : ` instead of ${shortDay(due, now)}`}`]
      : []),
  ];
  const more = differences.length - MAX_NAMED_CHANGES;
  const named = [...differences.slice(0, MAX_NAMED_CHANGES), ...(more > 0 ? [`${more} more changes`] : [])];
  const content = named.length > 0 ? `other content: ${named.join(', ')}` : 'the same items';
  const standing = await readStanding(context, statement);
  const became = replacedBy(statement) === undefined ? 'billed before' : 'reissued';
  const problem = `${isNumbered(row) ? row.external_id : 'It'} was ${became} as ${formatBilledAs(standing, statement)}, with ${content}.${became === 'reissued' ? ' If the bill is right, correct the sheet.' : ''}`;

  const name = statementName(statement);
  const replacement = [
    ...(isOtherItems ? items.flatMap((item) => ['--item', itemText(item).replace(/^-/, ' -')]) : []),
    ...(isOtherDue ? ['--due', dateText(dueAt)] : []),
    ...(job.record.send ? ['--send'] : []),
  ];
  const correction = (): readonly [step: StepId, about: string | readonly string[]] | undefined => {
    if (standing.state === 'draft') return ['delete_unused', statement.id];
    if (!isPayable(standing)) return undefined;
    if (isOtherPayer) return ['void_and_repeat', name];
    return items.length > MAX_NAMED_CHANGES ? ['replace', name] : ['replace_as', [name, ...replacement]];
  };
  const step = correction();
  const fix = step ? '' : 'Change the row back to what was billed. Give an additional bill its own number.';
  const next = step && nextStep(...step, accountArgs(context));
  return {...place, code: 'duplicate_statement', problem, fix, ...(next && {next})};
}
