// Reads the line that says what columns mean: `7 ignore, 8 leave_out yes|paid`, `all ignore`, `5-7 charge`.

import {InvalidInput} from '../invalid-input.js';
import {quote} from '../money.js';
import {headerKey, type ColumnReading} from './decide.js';
import {AS_IS, LEAVE_OUT, comparedCell, readAnswer, type SheetLayout} from './meanings.js';

export interface TypedAnswers {
  /** Answers as {@link readAnswer} takes them, by header in lower case. */
  readonly answers: ReadonlyMap<string, string>;
  /** The first part that cannot be read. */
  readonly fault?: string;
}

/** The number that a person types for a column: its position in the sheet, from 1. */
export const numberOf = ({column}: ColumnReading): number => column.index + 1;

/** @param columns all columns @param meantBy what a column means so far, for `as is` */
export function readTypedAnswers(
  line: string,
  columns: readonly ColumnReading[],
  layout: SheetLayout,
  meantBy: (key: string) => string | undefined,
): TypedAnswers {
  const parts: {readonly named: readonly ColumnReading[]; text: string}[] = [];
  for (const piece of line.split(/[,;]/).filter((each) => each.trim() !== '')) {
    const part = partOf(piece.trim(), columns);
    const last = parts.at(-1);
    if (part) parts.push(part);
    // A further value, or a value with a comma in it.
    else if (last && LEAVES_OUT.test(last.text)) last.text += `,${piece}`;
    else return {answers: new Map(), fault: `${quote(piece.trim())} names no column. ${EXAMPLE}`};
  }
  const answers = new Map<string, string>();
  for (const {named, text} of parts) {
    if (named.length === 0) return {answers, fault: 'No column is unknown.'};
    for (const reading of named) {
      const answer = answerOf(text, reading, layout, meantBy);
      if (answer instanceof InvalidInput) return {answers, fault: `${numberOf(reading)}: ${answer.problem}`};
      answers.set(headerKey(reading.column.name), answer);
    }
  }
  return {answers};
}

const EXAMPLE = 'Write a number and a meaning: 7 ignore';
const LEAVES_OUT = /^leave[ _-]?out\b[\s:=]*/i;
const IS_AS_IS = /^(.*?)[\s:]*\bas[ _-]?is$/is;

/** Divides `5-7 charge` and `unit price = ignore` into columns and a meaning. */
function partOf(piece: string, columns: readonly ColumnReading[]) {
  const [, first, last = first, meaning] = /^(\d+)(?:\s*[-–]\s*(\d+))?(?:\s*[:=]\s*|\s+|$)(.*)$/s.exec(piece) ?? [];
  const numbered = columns.filter((each) => numberOf(each) >= Number(first) && numberOf(each) <= Number(last));
  if (numbered.length > 0) return {named: numbered, text: meaning!};
  const [, all] = /^all(?:\s*[:=]\s*|\s+)(.*)$/is.exec(piece) ?? [];
  if (all !== undefined) return {named: columns.filter(({question}) => question !== undefined), text: all};
  const isNamed = (name: string): boolean =>
    piece.toLowerCase().startsWith(name) && /^(?:\s|[:=]|$)/.test(piece.slice(name.length));
  const namesOf = ({column: {name, candidate}}: ColumnReading): string[] =>
    [headerKey(name), candidate?.means ?? ''].filter((each) => each !== '' && isNamed(each));
  const [name] = columns.flatMap(namesOf).sort((one, other) => other.length - one.length);
  if (name === undefined) return undefined;
  const named = columns.filter((each) => namesOf(each).includes(name));
  return {named, text: piece.slice(name.length).replace(/^[\s:=]+/, '')};
}

function answerOf(
  text: string,
  {column}: ColumnReading,
  layout: SheetLayout,
  meantBy: (key: string) => string | undefined,
): InvalidInput | string {
  if (text === '') return new InvalidInput(`Say what it is. ${EXAMPLE}`);
  const [, meaning] = IS_AS_IS.exec(text) ?? [];
  const asIs = meaning === '' ? meantBy(headerKey(column.name)) : meaning;
  const written = LEAVES_OUT.test(text)
    ? leftOutOf(text.replace(LEAVES_OUT, ''), column)
    : asIs === undefined
      ? text
      : `${asIs}${AS_IS}`;
  const answer = written instanceof InvalidInput ? written : readAnswer(written, layout);
  return answer instanceof InvalidInput ? answer : (written as string);
}

/** Reads the values of `leave_out`, divided by | or commas. A single value of a column need not be written. */
function leftOutOf(text: string, {choices}: ColumnReading['column']): InvalidInput | string {
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
