// A row of a statement that was billed before with other content: what is different, and how the statement is corrected.

import {customerOf, dueOf, statementName} from '../../../../api/statement.js';
import type {Statement} from '../../../../billing/compose/plan.js';
import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import {sameAccount} from '../../../../cli/next-command.js';
import {suggest} from '../../../../cli/next-steps.js';
import type {Context} from '../../../../context.js';
import type {FileFault} from '../../../../ground/errors.js';
import {manilaDay, shortDay} from '../../../../ground/manila.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {dateText} from '../../../../input/dates.js';
import type {StatementItem} from '../../../../input/items.js';
import {itemText} from '../compose/end.js';
import {statementWords} from './plan-words.js';

/** More changes than this are counted, and more items are not written into a command. */
const MOST_NAMED = 5;

const priceWords = ({quantity, unit_price: price}: StatementItem): string => `${quantity} × ${formatPesos(price)}`;
const itemWords = (item: StatementItem): string => `${JSON.stringify(item.description)} ${priceWords(item)}`;

export async function changedFault(
  context: Context,
  job: JobFile,
  {row, statement}: {readonly row: Row; readonly statement: Statement},
): Promise<FileFault> {
  const {editsOf, itemsOf} = await context.imports();
  const {line, external_id: value, due_at: dueAt, n} = row;
  const [items, due, now] = [job.itemsOf(n), dueOf(statement), context.now()];
  const {changed, added, removed} = editsOf(items, itemsOf(statement));
  const isOtherItems = changed.length + added.length + removed.length > 0;
  const isOtherDue = dueAt !== null && (due === undefined || manilaDay(due) !== manilaDay(dueAt));
  const isOtherPayer = job.customer(row.customer)?.id !== customerOf(statement).id;
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
  const more = differences.length - MOST_NAMED;
  const said = [...differences.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more changes`] : [])].join(', ');
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
    if (statement.status !== 'open') return 'Remove the row. What is billed on top gets a number of its own.';
    if (isOtherPayer) return suggest('void_and_repeat', named, account);
    if (items.length > MOST_NAMED) return suggest('replace', named, account);
    return suggest('replace_as', [named, ...replacement], account);
  };
  return {line, column: null, value, code: 'duplicate_statement', problem, fix: cure()};
}
