// Reads the line that says what columns mean: `7 ignore, 8 leave_out yes|paid`, `all ignore`, `5-7 charge`.

import {InvalidInput} from '../invalid-input.js';
import {quote} from '../money.js';
import {headerKey, type ColumnReading} from './decide.js';
import {AS_IS, LEAVE_OUT, comparedCell, readAnswer, type ColumnAnswer, type SheetLayout} from './meanings.js';

export interface TypedAnswer extends ColumnAnswer {
  /** As {@link readAnswer} takes it. */
  readonly written: string;
}

export interface TypedAnswers {
  /** By header in lower case. */
  readonly answers: ReadonlyMap<string, TypedAnswer>;
  /** The first part that cannot be read. */
  readonly fault?: string;
}

/** The number that a person types for a column: its position in the sheet, from 1. */
export const numberOf = ({column}: ColumnReading): number => column.index + 1;

const exampleOf = ({index}: ColumnReading['column']): string =>
  `Write a number and a meaning: ${index + 1} ignore. For several: 4-6 ignore`;

const LEAVES_OUT = /^leave[ _-]?out\b[\s:=]*/i;

/** @param answered an earlier answer about a column, for `as is` and for values that are left out */
export function readTypedAnswers(
  line: string,
  columns: readonly ColumnReading[],
  layout: SheetLayout,
  answered: (key: string) => ColumnAnswer | undefined,
): TypedAnswers {
  const answers = new Map<string, TypedAnswer>();
  const {column: unknown} = columns.find(({question}) => question !== undefined) ?? columns[0]!;
  const parts: {readonly named: readonly ColumnReading[]; text: string}[] = [];
  for (const piece of line.split(/[,;]/).map((each) => each.trim())) {
    const part = partOf(piece, columns);
    const last = parts.at(-1);
    if (part) parts.push(part);
    // A further value, or a value with a comma in it.
    else if (last && LEAVES_OUT.test(last.text)) last.text += `,${piece}`;
    else if (piece !== '') return {answers, fault: `${quote(piece)} names no column. ${exampleOf(unknown)}`};
  }
  for (const {named, text} of parts)
    for (const {column} of named) {
      const key = headerKey(column.name);
      const written = writtenAnswer(text, column, answered(key));
      const answer = written instanceof InvalidInput ? written : readAnswer(written, layout);
      if (answer instanceof InvalidInput) return {answers, fault: `${column.index + 1}: ${answer.problem}`};
      answers.set(key, {...answer, written: written as string});
    }
  return {answers};
}

/** Divides `5-7 charge`, `all ignore` and `Unit Price = ignore` into columns and a meaning. */
function partOf(piece: string, columns: readonly ColumnReading[]) {
  const [, first, last = first, meaning = ''] = /^(\d+)(?:\s*[-–]\s*(\d+))?(?:[\s:=]+(.*))?$/s.exec(piece) ?? [];
  const numbered = columns.filter((each) => numberOf(each) >= Number(first) && numberOf(each) <= Number(last));
  if (numbered.length > 0) return {named: numbered, text: meaning};
  const [, all] = /^all[\s:=]+(.*)$/is.exec(piece) ?? [];
  if (all !== undefined) return {named: columns.filter(({question}) => question !== undefined), text: all};
  const namesOf = ({column: {name, candidate}}: ColumnReading): string[] =>
    [headerKey(name), candidate?.means ?? ''].filter(
      (each) => each !== '' && piece.toLowerCase().startsWith(each) && /^(?:[\s:=]|$)/.test(piece.slice(each.length)),
    );
  const [name] = columns.flatMap(namesOf).sort((one, other) => other.length - one.length);
  if (name === undefined) return undefined;
  const named = columns.filter((each) => namesOf(each).includes(name));
  return {named, text: piece.slice(name.length).replace(/^[\s:=]+/, '')};
}

/** Returns an answer as {@link readAnswer} takes it. */
function writtenAnswer(text: string, column: ColumnReading['column'], earlier: ColumnAnswer | undefined) {
  const {choices, candidate} = column;
  const [, meaning] = /^(.*?)[\s:]*\bas[ _-]?is$/is.exec(text) ?? [];
  if (meaning !== undefined) return `${meaning || (earlier ?? candidate)?.means}${AS_IS}`;
  if (!LEAVES_OUT.test(text)) return text || new InvalidInput(`say what it is. ${exampleOf(column)}`);
  const known = choices?.map(comparedCell);
  const isKnown = (value: string): boolean =>
    known === undefined || known.includes(value) || earlier?.leaveOut.includes(value) === true;
  const valuesOf = (written: string, separator: string) => written.split(separator).map(comparedCell).filter(Boolean);
  const typed = valuesOf(text.replace(LEAVES_OUT, ''), '|').flatMap((value) =>
    isKnown(value) ? value : valuesOf(value, ','),
  );
  // A single value of a column need not be written.
  const values = typed.length === 0 && known?.length === 1 ? known : typed;
  const wrong = values.find((value) => !isKnown(value));
  if (wrong !== undefined) return new InvalidInput(`no cell is ${quote(wrong)}. The cells: ${choices!.join(' | ')}`);
  if (values.length === 0) return new InvalidInput('say which values are left out: leave_out yes|paid');
  return `${LEAVE_OUT}:${values.join('|')}`;
}
