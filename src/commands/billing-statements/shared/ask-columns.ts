// Decides what the columns of a sheet mean with what is remembered, and asks a person about the rest on one screen.

import type {RememberedSheet} from '../../../config/column-memory.js';
import type {Context} from '../../../context/context.js';
import {formatCount} from '../../../common/counts.js';
import {InvalidInput} from '../../../input/invalid-input.js';
import {quote} from '../../../input/money.js';
import {headerKey, type ColumnDecision, type ColumnReading} from '../../../input/spreadsheet/decide.js';
import * as meanings from '../../../input/spreadsheet/meanings.js';
import type {ReadSpreadsheetOptions, SurveyedSheet} from '../../../input/spreadsheet/read.js';
import {withSeen, type SeenValues} from '../../../input/spreadsheet/survey.js';
import {numberOf, readTypedAnswers, type TypedAnswer} from '../../../input/spreadsheet/typed-answers.js';
import {oneLineText} from '../../../output/format.js';
import {textMeasureFor} from '../../../output/text-width.js';

const {AS_IS, IGNORE, LEAVE_OUT} = meanings;

interface AskOptions {
  readonly file: string;
  readonly layout: meanings.SheetLayout;
  /** True if a person may be asked. */
  readonly asks: boolean;
}

const keyOf = ({column}: ColumnReading): string => headerKey(column.name);

/** Flags win over what is remembered, which wins over the table. Only what was typed on the screen is remembered. */
export function columnDecider(context: Context, options: AskOptions): NonNullable<ReadSpreadsheetOptions['decide']> {
  const {file, layout, asks} = options;
  const {io} = context;
  return async (sheet, given) => {
    const memory = await context.columnMemory();
    const columnOf = (key: string) => sheet.columns.find(({name}) => headerKey(name) === key)!;
    const headers = [...new Set(sheet.columns.map(({name}) => headerKey(name)))].sort();
    const all = memory.read();
    const before = all.find((each) => each.headers.join('\n') === headers.join('\n'));
    const remembered = new Map<string, meanings.ColumnAnswer & {readonly seen: SeenValues}>();
    for (const {column, means, seen} of before?.answers ?? []) {
      const answer = meanings.readAnswer(means, layout);
      if (!(answer instanceof InvalidInput)) remembered.set(column, {...answer, seen});
    }
    const answered = [...(before ? [before] : []), ...all].flatMap((sheet) => sheet.answers);
    const typed = new Map<string, TypedAnswer>();
    const decide = () => sheet.decide({given: new Map([...given, ...typed]), remembered});
    let decision = decide();
    while (asks && isOpen(decision)) {
      const lines = await screenOf(sheet, decision, options, io);
      const earlier = earlierAnswers(decision, answered);
      const offer = earlier.fits ? ' (to give them again, type: as before)' : '';
      const hint = earlier.line ? `Your earlier answers${offer}: ${earlier.line}` : exampleOf(decision);
      for (const line of [...lines, hint]) io.note(line, {warns: true});
      const earlierOf = (key: string): meanings.ColumnAnswer | undefined => {
        const answer = meanings.readAnswer(answered.find(({column}) => column === key)?.means ?? '', layout);
        return answer instanceof InvalidInput ? undefined : answer;
      };
      const read = (line: string) =>
        readTypedAnswers(
          earlier.fits ? line.replace(/\bas before\b/i, earlier.line) : line,
          decision.columns,
          layout,
          (key) => typed.get(key) ?? given.get(key) ?? remembered.get(key) ?? earlierOf(key),
        );
      for (const [key, answer] of await askOnce(context, decision, read)) {
        const {choices} = columnOf(key);
        typed.set(key, withEarlierValues(answer, remembered.get(key), choices));
      }
      decision = decide();
    }
    const ignored = decision.columns
      .filter(({means, by, column}) => means === IGNORE && by === 'memory' && column.filled > 0)
      .map(({column: {name, samples, filled}}) => `${name} (${quote(samples[0]!)}, ${formatCount(filled, 'row')})`);
    if (ignored.length > 0) io.note(`${file}: Ignored as before: ${ignored.join(', ')}`);
    const fresh = [...typed].map(([column, {written, means}]) => {
      const last = remembered.get(column);
      // Values that were left out, and no longer are, ask again.
      const isSame = last?.means !== LEAVE_OUT || means === LEAVE_OUT;
      return {column, means: written, seen: withSeen(columnOf(column).seen, isSame ? last?.seen : undefined)};
    });
    const answers = [...(before?.answers ?? []).filter(({column}) => !typed.has(column)), ...fresh];
    if (decision.faults.length > 0 || answers.length === 0) return decision;
    const number = memory.remember({headers, answers, file});
    if (fresh.length > 0)
      io.note(`Remembered for sheets with these columns. To forget it: centavo columns forget ${number}`);
    return decision;
  };
}

/** True if answers can help: other faults need another sheet. */
const isOpen = ({unknown, missing, faults}: ColumnDecision): boolean =>
  unknown.length + missing.length + faults.length > 0 && faults.every(({code}) => code === 'invalid_column');

function meaningOf({means = 'empty', by, leaveOut, question, column: {filled}}: ColumnReading): string {
  if (question !== undefined) return `?  (${formatCount(filled, 'row')})`;
  if (means === IGNORE) return by === 'memory' ? 'ignored as before' : 'ignored';
  if (means === LEAVE_OUT) return `leave out ${leaveOut.join('|')}`;
  return means.startsWith('metadata.') ? means : means.replaceAll('_', ' ');
}

/** Returns the lines of the screen: all columns with two values each, and what can be answered. */
async function screenOf(
  {titles}: SurveyedSheet,
  {columns, missing, faults}: ColumnDecision,
  {file, layout}: AskOptions,
  {width, spoken}: Context['io'],
): Promise<string[]> {
  const rows = columns.map((reading) => {
    const {name, isHidden, samples} = reading.column;
    return [`${name}${isHidden ? ' (hidden)' : ''}`, samples.join(' | '), meaningOf(reading)].map(oneLineText);
  });
  const {cut, padEnd, widthOf} = await textMeasureFor(rows.flat());
  const widest = (cell: 0 | 2, share: number): number =>
    Math.min(Math.floor(width * share), Math.max(...rows.map((row) => widthOf(row[cell]!))));
  const widths = [widest(0, 0.3), width - widest(0, 0.3) - widest(2, 0.35) - 9, widest(2, 0.35)];
  const lines = columns.map((reading, at) => {
    const [number, [name, values, meaning]] = [numberOf(reading), rows[at]!];
    const {
      question,
      column: {choices = []},
    } = reading;
    const cells = rows[at]!.map((cell, nth) => padEnd(cut(cell, widths[nth]!), widths[nth]!));
    const all = question !== undefined && (choices.length > 2 || widthOf(values!) > widths[1]!) && choices.join(' | ');
    return [
      spoken
        ? `Column ${number}, ${name}: ${values || 'no values'}; ${meaning!.replace('?  ', 'not known ')}.`
        : `${String(number).padStart(3)}  ${cells.join('  ').trimEnd()}`,
      ...[all && `Values: ${all}`, question === 'It is not known.' ? '' : question]
        .filter(Boolean)
        .map((line) => `${spoken ? '' : '     '}${line}`),
    ];
  });
  const isAsked = (at: number): boolean => columns[at]!.question !== undefined;
  const asked = lines.filter((_, at) => isAsked(at)).flat();
  return [
    ...titles.slice(0, 3).map((title) => `Above the header: ${quote(title)}`),
    `What the columns of ${file} hold:`,
    ...lines.filter((_, at) => !isAsked(at)).flat(),
    ...(asked.length > 0 ? ['', 'Not known:', ...asked] : []),
    '',
    ...faults.map(({column, problem}) => `${column}: ${problem}`),
    ...(missing.length > 0 ? [`Still missing: ${missing.map(fieldName).join(', ')}.`] : []),
    ...(missing.includes('item') ? ['If no column has the item, press Ctrl-C and add --item "Monthly dues"'] : []),
    'An ignored column changes no bill. If a column changes an amount, press Ctrl-C and correct the sheet. If it says that rows are paid, leave those rows out.',
    `Meanings: ${meanings
      .meaningsOf(layout)
      .map((each) =>
        each.replace(':', ' ').replace(meanings.CHARGE, 'charge (each cell is a price, the header is its item)'),
      )
      .join(', ')}`,
  ];
}

const fieldName = (field: string): string => field.replace('customer_email', 'customer').replaceAll('_', ' ');

/** The earlier answers and corrections, as typed: those that fit all cells, if there are any. */
function earlierAnswers({columns}: ColumnDecision, answers: RememberedSheet['answers']) {
  const open = columns.filter(({by, question}) => by === 'table' || question !== undefined);
  const earlier = open.flatMap((reading) => {
    const answer = answers.find(({column}) => column === keyOf(reading));
    if (!answer) return [];
    const hasNew = /^(?:ignore|leave_out)/.test(answer.means) && reading.column.newTo(answer.seen) !== undefined;
    return [{hasNew, typed: `${numberOf(reading)} ${answer.means.replace(':', ' ')}`}];
  });
  const fitting = earlier.filter(({hasNew}) => !hasNew);
  const line = (fitting.length > 0 ? fitting : earlier).map(({typed}) => typed).join(', ');
  return {line, fits: fitting.length > 0};
}

/** Adds the values that were left out before, and that this sheet does not have. */
function withEarlierValues(
  answer: TypedAnswer,
  earlier: meanings.ColumnAnswer | undefined,
  choices: readonly string[] = [],
) {
  if (answer.means !== LEAVE_OUT || earlier?.means !== LEAVE_OUT) return answer;
  const shown = choices.map(meanings.comparedCell);
  const kept = earlier.leaveOut.filter((value) => !shown.includes(value));
  const leaveOut = [...new Set([...kept, ...answer.leaveOut])];
  return {...answer, leaveOut, written: `${LEAVE_OUT}:${leaveOut.join('|')}`};
}

/** An example with numbers of this sheet. */
function exampleOf({unknown, missing}: ColumnDecision): string {
  const text = unknown.find(({question}) => question!.includes(AS_IS));
  const [first, second] = unknown.filter((reading) => reading !== text);
  const examples = [
    text && `${numberOf(text)} as_is`,
    first && `${numberOf(first)} ${IGNORE}`,
    second && `${numberOf(second)} ${LEAVE_OUT} <value>`,
  ].filter(Boolean);
  return `For example: ${examples.join(', ') || `<number> ${missing[0] ?? IGNORE}`}`;
}

/** Asks until one line answers every column that is not understood. */
async function askOnce(
  {io, prompt}: Context,
  {unknown}: ColumnDecision,
  read: (line: string) => ReturnType<typeof readTypedAnswers>,
): Promise<ReadonlyMap<string, TypedAnswer>> {
  const answers = new Map<string, TypedAnswer>();
  const validate = (line: string): string | undefined => {
    // On a plain terminal the typed line does not stay, so its good parts are kept.
    if (!io.plain) answers.clear();
    const {answers: typed, fault} = read(line);
    for (const [key, answer] of typed) answers.set(key, answer);
    const open = unknown.filter((reading) => !answers.has(keyOf(reading))).map(numberOf);
    if (fault !== undefined || (open.length === 0 && answers.size > 0)) return fault;
    if (open.length === 0) return 'Say which column it is.';
    const listed = open.join(', ').replace(/, (\d+)$/, ' and $1');
    return `Say ${answers.size > 0 ? 'also ' : ''}what ${listed} ${open.length === 1 ? 'is' : 'are'}.`;
  };
  await prompt.text(unknown.length > 0 ? 'What are they?' : 'Which columns are they?', {validate});
  return answers;
}
