// Decides what the columns of a sheet mean with what is remembered, and asks a person about the rest on one screen.

import type {RememberedColumn} from '../../../config/column-memory.js';
import type {Context} from '../../../context/context.js';
import {formatCount} from '../../../common/counts.js';
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
  const {io} = context;
  return async (sheet, given) => {
    const memory = await context.columnMemory();
    const headers = [...new Set(sheet.columns.map(({name}) => headerKey(name)))].sort();
    const all = memory.read();
    const before = all.find((each) => each.headers.join('\n') === headers.join('\n'))?.answers ?? [];
    const typed = new Map<string, string>();
    const answersIn = <A extends {readonly column: string; readonly means: string}>(answers: readonly A[]) =>
      new Map(
        answers.flatMap(({column, means, ...more}) => {
          const answer = readAnswer(means, layout);
          return answer instanceof InvalidInput ? [] : [[column, {...more, ...answer}] as const];
        }),
      );
    const remembered = answersIn(before);
    const typedAnswers = () => [...typed].map(([column, means]) => ({column, means}));
    const decide = () => sheet.decide({given: new Map([...given, ...answersIn(typedAnswers())]), remembered});
    const meantBy = (key: string): string | undefined =>
      (answersIn(typedAnswers()).get(key) ?? given.get(key) ?? remembered.get(key))?.means ??
      sheet.columns.find(({name}) => headerKey(name) === key)?.candidate?.means;
    let decision = decide();
    while (asks && isOpen(decision)) {
      const earlier = proposalsOf(decision, [...before, ...all.flatMap(({answers}) => answers)]);
      for (const line of await screenOf(sheet, decision, {...options, earlier}, io)) io.note(line, {warns: true});
      for (const [key, text] of await askOnce(context, decision, layout, meantBy)) typed.set(key, text);
      decision = decide();
    }
    noteIgnored(io, file, decision);
    const kept = before.filter(({column}) => !typed.has(column));
    const fresh = typedAnswers().map((answer): RememberedColumn => {
      const {seen} = sheet.columns.find(({name}) => headerKey(name) === answer.column)!;
      return {...answer, seen: withSeen(seen, before.find(({column}) => column === answer.column)?.seen)};
    });
    if (decision.faults.length === 0 && kept.length + fresh.length > 0) {
      const number = memory.remember({headers, answers: [...kept, ...fresh], file});
      if (fresh.length > 0)
        io.note(`Remembered for sheets with these columns. To forget it: centavo columns forget ${number}`);
    }
    return decision;
  };
}

const isOpen = ({unknown, missing, faults}: ColumnDecision): boolean =>
  unknown.length + missing.length > 0 || faults.some(({code}) => code === 'invalid_column');

/** `leave_out yes|paid` of `leave_out:yes|paid`, as it is typed. */
const asTyped = (means: string): string => means.replace(':', ' ');

/** `7 ignore`: what a person answered earlier about the columns that are not understood. */
const proposalsOf = ({unknown}: ColumnDecision, earlier: readonly RememberedColumn[]): string[] =>
  unknown.flatMap((reading) => {
    const answer = earlier.find(({column}) => column === headerKey(reading.column.name));
    return answer ? [`${numberOf(reading)} ${asTyped(answer.means)}`] : [];
  });

function noteIgnored(io: Context['io'], file: string, {columns}: ColumnDecision): void {
  const named = columns
    .filter(({means, by, column}) => means === IGNORE && by === 'memory' && column.filled > 0)
    .map(({column: {name, samples, filled}}) => `${name} (${quote(samples[0]!)}, ${formatCount(filled, 'row')})`);
  if (named.length > 0) io.note(`${file}: Ignored as before: ${named.join(', ')}`);
}

/** What a column means, as the screen says it. */
function meaningOf({means, by, leaveOut, question, column: {filled}}: ColumnReading): string {
  if (question !== undefined) return `?  (${formatCount(filled, 'row')})`;
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
  const rows = columns.map((reading) => {
    const {name, isHidden, samples} = reading.column;
    const texts = [`${name}${isHidden ? ' (hidden)' : ''}`, samples.join(' | '), meaningOf(reading)];
    return {reading, texts: texts.map(oneLineText) as [name: string, values: string, meaning: string]};
  });
  const {cut, padEnd, widthOf} = await textMeasureFor(rows.flatMap(({texts}) => texts));
  const widest = (cell: 0 | 2, most: number) =>
    Math.min(Math.floor(width * most), Math.max(0, ...rows.map(({texts}) => widthOf(texts[cell]))));
  const [names, meanings] = [widest(0, 0.3), widest(2, 0.35)];
  const samples = width - names - meanings - 9;
  const lineOf = ({reading, texts: [name, values, meaning]}: (typeof rows)[number]): string => {
    const number = String(numberOf(reading));
    if (spoken) return `Column ${number}, ${name}: ${values || 'no values'}; ${meaning.replace('?  ', 'not known ')}.`;
    const cells = [padEnd(cut(name, names), names), padEnd(cut(values, samples), samples), cut(meaning, meanings)];
    return `${number.padStart(3)}  ${cells.join('  ')}`;
  };
  const detailsOf = ({question, column: {choices = []}}: ColumnReading): string[] => {
    const values = choices.join(' | ');
    const details = [
      (choices.length > 2 || widthOf(values) > samples) && `Values: ${values}`,
      question !== 'It is not known.' && question,
    ];
    return details.filter((each) => typeof each === 'string').map((each) => `${spoken ? '' : '     '}${each}`);
  };
  const isKnown = ({reading: {question}}: (typeof rows)[number]): boolean => question === undefined;
  const others = meaningsOf(layout).filter((field) => !columns.some(({means}) => means === field));
  return [
    ...titles.slice(0, 3).map((title) => `Above the header: ${quote(title)}`),
    `What the columns of ${file} hold:`,
    ...rows.filter(isKnown).map(lineOf),
    ...(unknown.length > 0 ? ['', 'Not known:'] : []),
    ...rows.filter((row) => !isKnown(row)).flatMap((row) => [lineOf(row), ...detailsOf(row.reading)]),
    '',
    ...faults.map(({column, problem}) => `${column}: ${problem}`),
    ...(missing.length > 0 ? [`Still missing: ${missing.map(fieldName).join(', ')}.`] : []),
    'A column that is ignored changes no bill. If one takes something off, adds something, or says that it is paid: Ctrl-C, and correct the sheet first.',
    `Else it can be: ${others.map(asTyped).join(', ')}`,
    earlier.length > 0 ? `Your earlier answers: ${earlier.join(', ')}` : `For example: ${exampleOf(decision)}`,
  ];
}

/** `4 as_is, 7 ignore, 8 leave_out <value>`, with numbers of this sheet. */
function exampleOf({columns, unknown, missing}: ColumnDecision): string {
  const isText = ({question}: ColumnReading): boolean => question!.includes(AS_IS);
  const examples = [
    ...unknown
      .filter(isText)
      .slice(0, 1)
      .map((reading) => `${numberOf(reading)} as_is`),
    ...unknown
      .filter((reading) => !isText(reading))
      .slice(0, 2)
      .map((reading, nth) => `${numberOf(reading)} ${nth === 0 ? IGNORE : `${LEAVE_OUT} <value>`}`),
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
    const listed = open.join(', ').replace(/, (?=\d+$)/, ' and ');
    if (open.length > 0)
      return `Say ${answers.size > 0 ? 'also ' : ''}what ${listed} ${open.length > 1 ? 'are' : 'is'}.`;
    return answers.size > 0 ? undefined : 'Say which column it is.';
  };
  await prompt.text(unknown.length > 0 ? 'What are they?' : 'Which columns are they?', {validate});
  return answers;
}
