// Decides what the columns of a sheet mean with what is remembered, and asks a person about the rest on one screen.

import type {RememberedColumn, RememberedSheet} from '../../../config/column-memory.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {headerKey, type ColumnDecision, type ColumnReading} from '../../../input/spreadsheet/decide.js';
import {
  AS_IS,
  IGNORE,
  LEAVE_OUT,
  meaningsOf,
  readAnswer,
  type SheetLayout,
} from '../../../input/spreadsheet/meanings.js';
import type {ReadSpreadsheetOptions, SurveyedSheet} from '../../../input/spreadsheet/read.js';
import {withSeen} from '../../../input/spreadsheet/survey.js';
import {numberOf, readTypedAnswers} from '../../../input/spreadsheet/typed-answers.js';
import {InvalidInput} from '../../../input/invalid-input.js';
import {quote} from '../../../input/money.js';
import {oneLineText} from '../../../output/format.js';
import {textMeasureFor} from '../../../output/text-width.js';

interface AskOptions {
  /** The file as typed. */
  readonly file: string;
  readonly layout: SheetLayout;
  /** True if a person may be asked. */
  readonly asks: boolean;
}

/** Flags win over what is remembered, which wins over the table. Only what was typed on the screen is remembered. */
export function columnDecider(context: Context, options: AskOptions): NonNullable<ReadSpreadsheetOptions['decide']> {
  const {file, layout, asks} = options;
  const answerOf = (means: string) => {
    const answer = readAnswer(means, layout);
    return answer instanceof InvalidInput ? [] : [answer];
  };
  return async (sheet, given) => {
    const memory = await context.columnMemory();
    const headers = [...new Set(sheet.columns.map(({name}) => headerKey(name)))].sort();
    const all = memory.read();
    const before = all.find((each) => each.headers.join('\n') === headers.join('\n'));
    const remembered = new Map(
      (before?.answers ?? []).flatMap(({column, means, seen}) =>
        answerOf(means).map((answer) => [column, {...answer, seen}] as const),
      ),
    );
    const typed = new Map<string, string>();
    const decide = (): ColumnDecision =>
      sheet.decide({
        given: new Map([
          ...given,
          ...[...typed].flatMap(([key, text]) => answerOf(text).map((each) => [key, each] as const)),
        ]),
        remembered,
      });
    const meantBy = (key: string): string | undefined =>
      answerOf(typed.get(key) ?? '')[0]?.means ??
      (given.get(key) ?? remembered.get(key))?.means ??
      sheet.columns.find(({name}) => headerKey(name) === key)?.candidate?.means;
    let decision = decide();
    while (asks && isOpen(decision)) {
      const earlier = proposalsOf(decision, before, all);
      for (const line of await screenOf(sheet, decision, {...options, earlier}, context.io))
        context.io.note(line, {warns: true});
      for (const [key, text] of await askOnce(context, decision, layout, meantBy)) typed.set(key, text);
      decision = decide();
    }
    noteIgnored(context, file, decision);
    const kept = (before?.answers ?? []).filter(({column}) => !typed.has(column));
    const fresh = [...typed].map(([column, means]): RememberedColumn => {
      const survey = sheet.columns.find(({name}) => headerKey(name) === column)!;
      return {column, means, seen: withSeen(survey.seen, before?.answers.find((each) => each.column === column)?.seen)};
    });
    if (decision.faults.length === 0 && kept.length + fresh.length > 0) {
      const {number} = memory.remember({headers, answers: [...kept, ...fresh], file});
      if (fresh.length > 0)
        context.io.note(`Remembered for sheets with these columns. To forget it: centavo columns forget ${number}`);
    }
    return decision;
  };
}

const isOpen = ({unknown, missing, faults}: ColumnDecision): boolean =>
  unknown.length + missing.length > 0 || faults.some(({code}) => code === 'invalid_column');

/** `leave_out yes|paid` of `leave_out:yes|paid`, as it is typed. */
const asTyped = (means: string): string => means.replace(':', ' ');

/** `7 ignore`: what a person answered earlier about the columns that are not understood. */
function proposalsOf({unknown}: ColumnDecision, before: RememberedSheet | undefined, all: readonly RememberedSheet[]) {
  const sheets = [...(before ? [before] : []), ...all];
  return unknown.flatMap((reading) => {
    const key = headerKey(reading.column.name);
    const answer = sheets.flatMap(({answers}) => answers).find(({column}) => column === key);
    return answer ? [`${numberOf(reading)} ${asTyped(answer.means)}`] : [];
  });
}

function noteIgnored({io}: Context, file: string, {columns}: ColumnDecision): void {
  const ignored = columns.filter(({means, by, column}) => means === IGNORE && by === 'memory' && column.filled > 0);
  if (ignored.length === 0) return;
  const named = ignored.map(
    ({column: {name, samples, filled}}) => `${name} (${quote(samples[0]!)}, ${rowsOf(filled)})`,
  );
  io.note(`${file}: Ignored as before: ${named.join(', ')}`);
}

const rowsOf = (count: number): string => `${formatInteger(count)} ${count === 1 ? 'row' : 'rows'}`;

/** What a column means, as the screen says it. */
function meaningOf({means, by, leaveOut, question, column: {filled}}: ColumnReading): string {
  if (question !== undefined) return `?  (${rowsOf(filled)})`;
  if (means === IGNORE) return by === 'memory' ? 'ignored as before' : 'ignored';
  if (means === LEAVE_OUT) return `leave out ${leaveOut.join('|')}`;
  return means?.startsWith('metadata.') ? means : (means ?? 'empty').replaceAll('_', ' ');
}

async function screenOf(
  {titles}: SurveyedSheet,
  decision: ColumnDecision,
  {file, layout, earlier}: AskOptions & {readonly earlier: readonly string[]},
  {width, spoken}: Context['io'],
): Promise<string[]> {
  const {columns, unknown, missing, faults} = decision;
  const rows = columns.map((reading) => ({
    reading,
    name: oneLineText(`${reading.column.name}${reading.column.isHidden ? ' (hidden)' : ''}`),
    samples: oneLineText(reading.column.samples.join(' | ')),
    meaning: oneLineText(meaningOf(reading)),
  }));
  const {cut, padEnd, widthOf} = await textMeasureFor(
    rows.flatMap(({name, samples, meaning}) => [name, samples, meaning]),
  );
  const widest = (all: readonly string[], most: number) => Math.min(most, Math.max(0, ...all.map(widthOf)));
  const names = widest(
    rows.map(({name}) => name),
    Math.floor(width * 0.3),
  );
  const meanings = widest(
    rows.map(({meaning}) => meaning),
    Math.floor(width * 0.35),
  );
  const samples = width - names - meanings - 9;
  const lineOf = ({reading, name, samples: values, meaning}: (typeof rows)[number]): string => {
    const number = String(numberOf(reading));
    if (spoken) return `Column ${number}, ${name}: ${values || 'no values'}; ${meaning.replace('?  ', 'not known ')}.`;
    const cells = [padEnd(cut(name, names), names), padEnd(cut(values, samples), samples), cut(meaning, meanings)];
    return `${number.padStart(3)}  ${cells.join('  ')}`;
  };
  const indent = spoken ? '' : '     ';
  const detailsOf = ({question, column: {choices = []}}: ColumnReading): string[] => [
    ...(choices.length > 2 || widthOf(choices.join(' | ')) > samples
      ? [`${indent}Values: ${choices.join(' | ')}`]
      : []),
    ...(question === undefined || question === 'It is not known.' ? [] : [`${indent}${question}`]),
  ];
  const known = rows.filter(({reading}) => reading.question === undefined);
  return [
    ...titles.slice(0, 3).map((title) => `Above the header: ${quote(title)}`),
    `What the columns of ${file} hold:`,
    ...known.map(lineOf),
    ...(unknown.length > 0 ? ['', 'Not known:'] : []),
    ...rows.filter((row) => !known.includes(row)).flatMap((row) => [lineOf(row), ...detailsOf(row.reading)]),
    '',
    ...faults.map(({column, problem}) => `${column}: ${problem}`),
    ...(missing.length > 0 ? [`Still missing: ${missing.map(fieldName).join(', ')}.`] : []),
    'A column that is ignored changes no bill. If one takes something off, adds something, or says that it is paid: Ctrl-C, and correct the sheet first.',
    `Else it can be: ${meaningsOf(layout)
      .filter((field) => !columns.some(({means}) => means === field))
      .map(asTyped)
      .join(', ')}`,
    earlier.length > 0 ? `Your earlier answers: ${earlier.join(', ')}` : `For example: ${exampleOf(decision)}`,
  ];
}

/** `4 as_is, 7 ignore, 8 leave_out <value>`, with numbers of this sheet. */
function exampleOf({columns, unknown, missing}: ColumnDecision): string {
  const isText = ({question}: ColumnReading): boolean => question!.includes(AS_IS);
  const [first, second] = unknown.filter((reading) => !isText(reading)).map(numberOf);
  const examples = [
    ...unknown
      .filter(isText)
      .slice(0, 1)
      .map((reading) => `${numberOf(reading)} as_is`),
    ...(first === undefined ? [] : [`${first} ${IGNORE}`]),
    ...(second === undefined ? [] : [`${second} ${LEAVE_OUT} <value>`]),
  ];
  return examples.length > 0 ? examples.join(', ') : `${numberOf(columns[0]!)} ${missing[0] ?? IGNORE}`;
}

const fieldName = (field: string): string => field.replace('customer_email', 'customer').replaceAll('_', ' ');

/** Asks until one line answers every column that is not understood. */
async function askOnce(
  {io, prompt}: Context,
  {columns, unknown}: ColumnDecision,
  layout: SheetLayout,
  meantBy: (key: string) => string | undefined,
): Promise<ReadonlyMap<string, string>> {
  // Where the typed line cannot stay on the screen, its good parts are kept.
  const answers = new Map<string, string>();
  const validate = (line: string): string | undefined => {
    if (!io.plain) answers.clear();
    const read = readTypedAnswers(line, columns, layout, meantBy);
    for (const [key, text] of read.answers) answers.set(key, text);
    if (read.fault !== undefined) return read.fault;
    const open = unknown.filter(({column}) => !answers.has(headerKey(column.name))).map(numberOf);
    const [last, ...others] = open.toReversed();
    const listed = others.length > 0 ? `${others.toReversed().join(', ')} and ${last} are` : `${last} is`;
    if (last !== undefined) return `Say ${answers.size > 0 ? 'also ' : ''}what ${listed}.`;
    return answers.size > 0 ? undefined : 'Say which column it is.';
  };
  await prompt.text(unknown.length > 0 ? 'What are they?' : 'Which columns are they?', {validate});
  return answers;
}
