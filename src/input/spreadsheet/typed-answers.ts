// Reads the line that says what columns mean: `7 ignore, 8 leave_out yes|paid`, `all ignore`, `5-7 charge`.

import {InvalidInput} from '../invalid-input.js';
import {quote} from '../money.js';
import {headerKey, type ColumnReading} from './decide.js';
import {AS_IS, LEAVE_OUT, comparedCell, readAnswer, type SheetLayout} from './meanings.js';

/** The number that a person types for a column: its position in the sheet, from 1. */
export const numberOf = ({column}: ColumnReading): number => column.index + 1;

const EXAMPLE = 'Write a number and a meaning: 7 ignore';
const LEAVES_OUT = /^leave[ _-]?out\b[\s:=]*/i;
const IS_AS_IS = /^(.*?)[\s:]*\bas[ _-]?is$/is;

/**
 * @param columns all columns
 * @param meantBy what a column means so far, for `as is`
 * @returns answers as {@link readAnswer} takes them, by header in lower case; `fault`: the first part that cannot be read
 */
export function readTypedAnswers(
  line: string,
  columns: readonly ColumnReading[],
  layout: SheetLayout,
  meantBy: (key: string) => string | undefined,
): {readonly answers: ReadonlyMap<string, string>; readonly fault?: string} {
  const answers = new Map<string, string>();
  const parts: {readonly named: readonly ColumnReading[]; text: string}[] = [];
  for (const piece of line.split(/[,;]/).filter((each) => each.trim() !== '')) {
    const part = partOf(piece.trim(), columns);
    const last = parts.at(-1);
    if (part) parts.push(part);
    // A further value, or a value with a comma in it.
    else if (last && LEAVES_OUT.test(last.text)) last.text += `,${piece}`;
    else return {answers, fault: `${quote(piece.trim())} names no column. ${EXAMPLE}`};
  }
  for (const {named, text} of parts) {
    if (named.length === 0) return {answers, fault: 'No column is unknown.'};
    for (const reading of named) {
      const key = headerKey(reading.column.name);
      const written = writtenAnswer(text, reading.column.choices, meantBy(key));
      const answer = written instanceof InvalidInput ? written : readAnswer(written, layout);
      if (answer instanceof InvalidInput) return {answers, fault: `${numberOf(reading)}: ${answer.problem}`};
      answers.set(key, written as string);
    }
  }
  return {answers};
}

/** Divides `5-7 charge` and `unit price = ignore` into columns and a meaning. */
function partOf(piece: string, columns: readonly ColumnReading[]) {
  const [, first, last = first, meaning] = /^(\d+)(?:\s*[-–]\s*(\d+))?(?:\s*[:=]\s*|\s+|$)(.*)$/s.exec(piece) ?? [];
  const numbered = columns.filter((each) => numberOf(each) >= Number(first) && numberOf(each) <= Number(last));
  if (numbered.length > 0) return {named: numbered, text: meaning!};
  const [, all] = /^all(?:\s*[:=]\s*|\s+)(.*)$/is.exec(piece) ?? [];
  if (all !== undefined) return {named: columns.filter(({question}) => question !== undefined), text: all};
  const isNamed = (name: string): boolean =>
    name !== '' && piece.toLowerCase().startsWith(name) && /^(?:\s|[:=]|$)/.test(piece.slice(name.length));
  const namesOf = ({column: {name, candidate}}: ColumnReading): string[] =>
    [headerKey(name), candidate?.means ?? ''].filter(isNamed);
  const [name] = columns.flatMap(namesOf).sort((one, other) => other.length - one.length);
  if (name === undefined) return undefined;
  const named = columns.filter((each) => namesOf(each).includes(name));
  return {named, text: piece.slice(name.length).replace(/^[\s:=]+/, '')};
}

/** @param choices all values of the column, if few @param means what the column means so far */
function writtenAnswer(text: string, choices: readonly string[] | undefined, means: string | undefined) {
  if (text === '') return new InvalidInput(`Say what it is. ${EXAMPLE}`);
  if (LEAVES_OUT.test(text)) return leftOutOf(text.replace(LEAVES_OUT, ''), choices);
  const [, typed] = IS_AS_IS.exec(text) ?? [];
  const billed = typed === '' ? means : typed;
  return billed === undefined ? text : `${billed}${AS_IS}`;
}

/** Reads the values of `leave_out`, divided by | or commas. A single value of a column need not be written. */
function leftOutOf(text: string, choices: readonly string[] | undefined): InvalidInput | string {
  const known = choices?.map(comparedCell);
  const isKnown = (value: string): boolean => known === undefined || known.includes(value);
  const valuesOf = (written: string, separator: string): string[] =>
    written.split(separator).map(comparedCell).filter(Boolean);
  const typed = valuesOf(text, '|').flatMap((value) => (isKnown(value) ? value : valuesOf(value, ',')));
  const values = typed.length === 0 && known?.length === 1 ? known : typed;
  const wrong = values.find((value) => !isKnown(value));
  if (wrong !== undefined) return new InvalidInput(`no cell is ${quote(wrong)}.`);
  return values.length > 0
    ? `${LEAVE_OUT}:${values.join('|')}`
    : new InvalidInput('say which values are left out: leave_out yes|paid');
}
