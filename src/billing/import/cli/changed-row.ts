// Explains the differences of a row that was billed before with other content, and how to correct its statement.

import {statementCustomerOf, dueTimeOf, statementName} from '../../../api/statement.js';
import type {BillingStatementData} from '../../statement/plan.js';
import type {StatementRow} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import {sameAccount} from '../../../cli/next-command.js';
import {suggest} from '../../../cli/next-steps.js';
import type {Context} from '../../../context/context.js';
import type {FileErrorPlace} from '../../../common/errors.js';
import {manilaDay, shortDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {dateText} from '../../../input/dates.js';
import type {StatementItem} from '../../../input/items.js';
import {itemText} from '../../statement/cli/explain-stop.js';
import {statementWords} from './plan-output.js';

/** More changes than this are counted, and more items are not written into a command. */
const MAX_NAMED_CHANGES = 5;

const priceWords = ({quantity, unit_price: price}: StatementItem): string => `${quantity} × ${formatPesos(price)}`;
const itemWords = (item: StatementItem): string => `${JSON.stringify(item.description)} ${priceWords(item)}`;

export async function changedRowError(
  context: Context,
  job: JobFile,
  {row, statement}: {readonly row: StatementRow; readonly statement: BillingStatementData},
): Promise<FileErrorPlace> {
  const {editsOf, itemsOf} = await context.imports();
  const {line, external_id: value, due_at: dueAt, n} = row;
  const [items, due, now] = [job.itemsOf(n), dueTimeOf(statement), context.now()];
  const {changed, added, removed} = editsOf(items, itemsOf(statement));
  const isOtherItems = changed.length + added.length + removed.length > 0;
  const isOtherDue = dueAt !== null && (due === undefined || manilaDay(due) !== manilaDay(dueAt));
  const isOtherPayer = job.customer(row.customer)?.id !== statementCustomerOf(statement).id;
  const differences = [
    ...(isOtherPayer ? ['it bills another customer'] : []),
    ...changed.map(
      ({from, to}) => `${itemWords(from)} is ${(from.description === to.description ? priceWords : itemWords)(to)} now`,
    ),
    ...added.map((item) => `${itemWords(item)} is new`),
    ...removed.map((item) => `${itemWords(item)} is gone`),
    ...(isOtherDue
      ? [`it is due ${shortDay(dueAt, now)}${due === undefined ? '' : ` instead of ${shortDay(due, now)}`}`]
      : []),
  ];
  const more = differences.length - MAX_NAMED_CHANGES;
  const said = [...differences.slice(0, MAX_NAMED_CHANGES), ...(more > 0 ? [`${more} more changes`] : [])].join(', ');
  const problem = `${value} was billed before as ${statementWords(statement)}, with ${said ? `other content: ${said}` : 'the same items and due date'}.`;

  const [account, named] = [sameAccount(context), statementName(statement)];
  const replacement = [
    ...(isOtherItems ? items.flatMap((item) => ['--item', itemText(item).replace(/^-/, ' -')]) : []),
    ...(isOtherDue ? ['--due', dateText(dueAt)] : []),
    ...(job.record.send ? ['--send'] : []),
  ];
  const cure = (): string => {
    if (statement.status === 'draft') return suggest('delete_unused', statement.id, account);
    if (said === '') return 'Remove the row.';
    if (statement.status !== 'open') return 'Remove the row. Give an additional bill its own number.';
    if (isOtherPayer) return suggest('void_and_repeat', named, account);
    if (items.length > MAX_NAMED_CHANGES) return suggest('replace', named, account);
    return suggest('replace_as', [named, ...replacement], account);
  };
  return {line, column: null, value, code: 'duplicate_statement', problem, fix: cure()};
}
