// Matches rows with earlier bills if the number alone does not show it: asks at a terminal, and refuses elsewhere.

import {billedAt, statementName} from '../../../api/statement.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import type {CentavoError} from '../../../common/errors.js';
import {dayText} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import type {Spreadsheet} from '../../../input/spreadsheet/read.js';
import type {ExistingStatement} from '../existing-statements.js';
import type {JobFile} from '../job/job-file.js';
import {createdHere} from './adopt-existing.js';
import {refusedBills} from './find-jobs.js';
import {rowPayerOf} from './progress.js';

const MAX_NAMED = 3;

interface DecideOptions {
  readonly allowDuplicate: boolean;
  /** True to bill rows that were billed without a period. */
  readonly billsAgain: boolean;
  readonly mayAsk: boolean;
  readonly placeOf: Spreadsheet['place'];
}

/**
 * Returns the bills that stand for their rows, and `keeps`, true if a person said so: the job then remembers it.
 * @param found bills whose number stood for another row, bills without a period, and void bills of the period
 */
export async function decideBills(
  context: Context,
  job: JobFile,
  found: readonly ExistingStatement[],
  {allowDuplicate, billsAgain, mayAsk, placeOf}: DecideOptions,
): Promise<{readonly known: ExistingStatement[]; readonly keeps: boolean}> {
  const before = await createdHere(context, job, found);
  const known: ExistingStatement[] = [];
  // One for each row: the one that was billed last.
  const open = new Map<number, ExistingStatement>();
  const {contentKey} = await context.imports();
  const billAsNew = ({row, isMoved}: ExistingStatement): void => {
    for (const each of found) if (each.row.n === row.n) job.addOther(each.statement.id);
    if (isMoved) job.setRow(row.n, {key: contentKey(row, job.period)});
  };
  for (const existing of found.toSorted((one, other) => one.row.n - other.row.n)) {
    const {row, isMoved, isEnded} = existing;
    const made = before.get(row.n)?.row;
    const earlier = made?.id === existing.statement.id ? made : undefined;
    const wasSaid =
      earlier?.error_code?.startsWith('billed_') === true && (!isMoved || earlier.plain_key === row.plain_key);
    // `jobs void` allows a job's rows to be billed again.
    const isVoidedHere = earlier?.phase === 'done' && earlier.status === 'void' && earlier.billed_before === 0;
    if (allowDuplicate || (billsAgain && existing.how === 'unperioded')) billAsNew(existing);
    else if (wasSaid || isEnded) {
      if (!isEnded || !isVoidedHere) known.push({...existing, how: 'billed'});
    } else if (timeOf(existing) >= timeOf(open.get(row.n))) open.set(row.n, existing);
  }
  for (const {row} of known) open.delete(row.n);
  if (open.size > 0 && !mayAsk) throw undecided(context, job, [...open.values()], await context.accountNow(), placeOf);
  for (const existing of open.values()) {
    const question = `${existing.row.external_id} for ${rowPayerOf(job, existing.row)}, ${formatPesos(existing.row.amount)}:`;
    const bill = `${billText(existing, await context.accountNow())}: do not bill it again`;
    const isThen = await context.prompt.select(question, [
      {name: `It was ${bill}`, value: true},
      {name: 'It is a new bill', value: false},
    ]);
    if (isThen) known.push({...existing, how: 'billed'});
    else billAsNew(existing);
  }
  return {known, keeps: open.size > 0};
}

const timeOf = (existing: ExistingStatement | undefined): number => (existing && billedAt(existing.statement)) ?? 0;

/** `billed as JEEPNEY-0002 on 3 June` @param now unix seconds */
const billText = ({statement}: ExistingStatement, now: number): string =>
  `billed as ${statementName(statement)} on ${dayText(billedAt(statement) ?? now, now)}`;

function undecided(
  context: Context,
  job: JobFile,
  open: readonly ExistingStatement[],
  now: number,
  placeOf: Spreadsheet['place'],
): CentavoError {
  const moved = open.filter(({isMoved}) => isMoved);
  const [first] = moved;
  const some = first ? moved : open;
  const named = some.slice(0, MAX_NAMED).map((each) => `${each.row.external_id} was ${billText(each, now)}`);
  const more = some.length > MAX_NAMED ? `, and ${formatInteger(some.length - MAX_NAMED)} more` : '';
  const count = `${formatInteger(some.length)} of ${formatInteger(job.tally.statements)}`;
  const refuse = (code: string, what: string, why: string): CentavoError => {
    const details = {why: `${named.join('; ')}${more}${why}`, override: '--allow-duplicate'};
    return refusedBills(context, code, `${count} ${what}`, some, details);
  };
  if (!first) {
    const why = `. centavo cannot tell whether that was the bill for ${job.period}.`;
    return refuse('billed_before', 'rows were billed before, without a period.', why);
  }
  const {column} = placeOf(first.row.line, 'external_id');
  return refuse(
    'moved_numbers',
    `numbers in column ${JSON.stringify(column)} stand for other rows now.`,
    ', for another row. Use numbers that stay with their rows, such as invoice numbers.',
  );
}
