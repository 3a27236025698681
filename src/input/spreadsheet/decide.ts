// Decides what each column of a sheet means: by an answer, or by its header and its cells. Pure.

import type {FileFault} from '../../common/errors.js';
import {quote} from '../money.js';
import {shellQuote} from '../../common/next-text.js';
import {isForeignMoney, namesScale} from './currencies.js';
import {
  AS_IS,
  CHARGE,
  IGNORE,
  LEAVE_OUT,
  NOT_READ,
  TOTALS,
  columnTitleOf,
  comparedCell,
  isDoubtful,
  isLoud,
  isPrice,
  type ColumnAnswer,
  type SheetLayout,
} from './meanings.js';
import type {ColumnSurvey, SeenValues} from './survey.js';

export interface RememberedAnswer {
  /** As {@link readAnswer} takes it: `ignore`, `leave_out:yes|paid`. */
  readonly means: string;
  readonly seen: SeenValues;
}

/** Answers by header in lower case. A flag beats what is remembered. */
export interface ColumnAnswers {
  readonly given: ReadonlyMap<string, ColumnAnswer>;
  readonly remembered: ReadonlyMap<string, ColumnAnswer & Pick<RememberedAnswer, 'seen'>>;
}

export interface ColumnReading {
  readonly column: ColumnSurvey;
  /** A field, `charge`, `leave_out`, `ignore` or `not read`; undefined if the column is not understood, or is empty. */
  readonly means?: string | undefined;
  readonly leaveOut: readonly string[];
  /** Why the column is not understood. */
  readonly question?: string;
  /** The meaning of a column whose texts are asked about. */
  readonly doubted?: string | undefined;
  /** The first value that is asked about, and its line. */
  readonly asked?: readonly [value: string, line: number] | undefined;
  readonly by: 'flag' | 'memory' | 'table';
}

export interface ColumnDecision {
  readonly columns: readonly ColumnReading[];
  readonly unknown: readonly ColumnReading[];
  /** Fields without a column that the table needs, such as `unit_price`. */
  readonly missing: readonly string[];
  /** True if the rows can be read. An error then lists their faults, too. */
  readonly canReadRows: boolean;
  /** Faults that no answer cures: prices of another currency. */
  readonly faults: readonly FileFault[];
}

/** Doubtful values that a question names. */
const MAX_NAMED = 5;

export const headerKey = comparedCell;

export const PAYERS: readonly string[] = ['customer_email', 'customer', 'customer_name', 'last_name'];

export interface DecideOptions {
  readonly layout: SheetLayout;
  readonly answers: ColumnAnswers;
  /** Fields that flags fill in for every row: `item`. */
  readonly filled?: readonly string[];
}

export function decideColumns(columns: readonly ColumnSurvey[], options: DecideOptions): ColumnDecision {
  const {layout, filled = []} = options;
  const readings = withAmounts(
    withItem(withoutRivals(columns.map((column) => readingOf(column, options))), options),
    layout,
  );
  const means = new Set(readings.map((reading) => reading.means));
  const faults = readings.flatMap((reading) => [
    ...moneyFault(reading),
    ...rivalFault(reading, readings),
    ...nameFault(reading, readings),
  ]);
  // A column of a name that another has cannot be asked about.
  const unknown = readings.filter(
    ({question, column}) => question !== undefined && !faults.some((fault) => fault.column === column.name),
  );
  const absent = layout.required.filter(
    (field) =>
      !filled.includes(field) &&
      !means.has(field) &&
      !(field === 'customer_email' && PAYERS.some((payer) => means.has(payer))) &&
      !(field === 'unit_price' && ['unit_price_centavos', 'amount', CHARGE].some((price) => means.has(price))) &&
      !(field === 'item' && means.has(CHARGE)),
  );
  const missing = absent.filter(
    (field) =>
      // The question says what is in doubt.
      !unknown.some(({column, doubted}) => (doubted ?? column.candidate?.means) === field) &&
      !faults.some((fault) =>
        readings.some(({column}) => column.name === fault.column && column.candidate?.means === field),
      ),
  );
  const canReadRows = absent.every(
    (field) => field === 'customer_email' || readings.some(({doubted}) => doubted === field),
  );
  return {columns: readings, unknown, missing, canReadRows, faults};
}

function readingOf(column: ColumnSurvey, {answers}: DecideOptions): ColumnReading {
  const key = headerKey(column.name);
  const given = answers.given.get(key);
  const remembered = given ? undefined : answers.remembered.get(key);
  const answer = given ?? remembered;
  const base = {
    column,
    leaveOut: answer?.leaveOut ?? [],
    by: given ? 'flag' : remembered ? 'memory' : 'table',
  } as const;
  const asked = remembered && column.newTo(remembered.seen);
  if (answer && [IGNORE, LEAVE_OUT].includes(answer.means))
    return asked
      ? {...base, asked, question: `It holds other values than before: ${quote(asked[0])}.`}
      : {...base, means: answer.means};
  const means = answer?.means ?? (column.filled === 0 || column.fits ? column.candidate?.means : undefined);
  if (means !== undefined) {
    const isAccepted = (value: string): boolean =>
      answer?.isAsIs === true && (remembered === undefined || remembered.seen.loud.includes(value.toLowerCase()));
    // A prefix that all numbers have is the merchant's own, and says nothing.
    const isOwn = (value: string): boolean => column.hasOwnPrefix && !isLoud(value);
    // Texts such as `Rent - PAID` may say that the row is not owed.
    const doubtful = [...column.loud].filter(
      ([value]) => isDoubtful(means, value) && !isAccepted(value) && !isOwn(value),
    );
    const values = doubtful.slice(0, MAX_NAMED).map(([value]) => quote(value));
    if (doubtful.length > MAX_NAMED) values.push(`${(doubtful.length - MAX_NAMED).toLocaleString('en')} more values`);
    const question = `${values.join(', ')} may not be owed. If it is: ${means}${AS_IS}`;
    return doubtful.length === 0 ? {...base, means} : {...base, doubted: means, asked: doubtful[0], question};
  }
  if (column.filled === 0) return base;
  return {
    ...base,
    question: column.candidate ? 'Its cells do not fit the header.' : 'It is not known.',
  };
}

/** True for a meaning that one column of a table can have. */
const isSingle = (means = NOT_READ): boolean => ![NOT_READ, IGNORE, CHARGE, LEAVE_OUT, ...TOTALS].includes(means);

/** Two columns with one meaning, or with a name: an answer wins over a header; otherwise neither is taken. */
function withoutRivals(readings: readonly ColumnReading[]): ColumnReading[] {
  const hasEmail = readings.some(({means}) => means === 'customer_email');
  const isAnswered = hasEmail && readings.some(({means, by}) => means === 'customer_name' && by !== 'table');
  return readings.map((reading) => {
    const {means, column} = reading;
    if (isAnswered && means === 'customer' && reading.by === 'table') return {...reading, means: NOT_READ};
    const rivals = isSingle(means) ? readings.filter((each) => each.means === means) : [];
    const filled = rivals.filter((each) => each.column.filled > 0);
    if (rivals.length < 2) return reading;
    // An empty column gives way, unless all are empty.
    if (column.filled === 0)
      return filled.length > 0 || rivals[0] !== reading ? {...reading, means: undefined} : reading;
    if (filled.length < 2) return reading;
    // Beside an email address, one of several names is the customer: an answer, or else the first.
    if (hasEmail && (means === 'customer' || means === 'customer_name')) {
      const customer = filled.find(({by}) => by !== 'table') ?? filled[0];
      return customer === reading ? reading : {...reading, means: NOT_READ};
    }
    if (reading.by !== 'table') return reading;
    const names = filled.map((each) => quote(each.column.name)).join(' and ');
    return {...reading, means: undefined, question: `${names} both mean ${means!.replaceAll('_', ' ')}.`};
  });
}

/** Uses the description as the item if the table has no items of its own. */
const withItem = (readings: readonly ColumnReading[], {layout, filled = []}: DecideOptions): ColumnReading[] => {
  const as = (means: string | undefined) => (means === 'description' ? 'item' : means);
  const hasItems = readings.some(({means}) => means === 'item' || means === CHARGE) || filled.includes('item');
  return layout.required.includes('item') && !hasItems
    ? readings.map((reading) => ({...reading, means: as(reading.means), doubted: as(reading.doubted)}))
    : [...readings];
};

/** Decides what amounts are: totals beside prices or charges, or else the prices of a table without quantities. */
function withAmounts(readings: readonly ColumnReading[], layout: SheetLayout): ColumnReading[] {
  const has = (means: string): boolean => readings.some((reading) => reading.means === means);
  const amounts = readings.filter(({means}) => means === 'amount');
  if (amounts.length === 0 || has('unit_price') || has('unit_price_centavos')) return [...readings];
  return readings.map((reading) => {
    if (reading.means !== 'amount') return reading;
    // Beside columns of charges, an amount is their sum.
    if (has(CHARGE)) return {...reading, means: 'amount_due'};
    if (amounts.length === 1 && !has('quantity')) return {...reading, means: 'unit_price'};
    // A person said that it is the total: the price is that total by the quantity.
    if (amounts.length === 1 && reading.by !== 'table') return reading;
    return {
      ...reading,
      means: undefined,
      question: `It may be a unit price or a total; ${columnTitleOf('unit_price', layout)} is missing.`,
    };
  });
}

const columnFault = (column: string, code: string, problem: string, fix: string): FileFault => ({
  ...{line: 1, column, value: '', code},
  ...{problem, fix},
});

/** Refuses a column of money whose header names another currency, or thousands. */
function moneyFault({column: {name}, means}: ColumnReading): FileFault[] {
  const isMoney = isPrice(means) || means === 'amount_due' || means === CHARGE;
  if (!isMoney || !(isForeignMoney(name) || namesScale(name))) return [];
  const fix = `Convert it to pesos and rename it, or add --map ${shellQuote(`${name}=${IGNORE}`)}`;
  return [columnFault(name, 'not_in_pesos', 'The column is not in pesos.', fix)];
}

/** Refuses two columns that were both answered with the same field. */
function rivalFault({column: {name}, means, by}: ColumnReading, readings: readonly ColumnReading[]): FileFault[] {
  const first = readings.find((each) => each.means === means && each.by !== 'table');
  if (by === 'table' || first === undefined || first.column.name === name || !isSingle(means)) return [];
  const problem = `${quote(first.column.name)} has the same meaning, ${means}.`;
  return [columnFault(name, 'invalid_column', problem, 'Give one of them another meaning.')];
}

/** Refuses two filled columns of one name, which no answer can tell apart. */
function nameFault({column, means}: ColumnReading, readings: readonly ColumnReading[]): FileFault[] {
  const isSame = (each: ColumnReading): boolean => headerKey(each.column.name) === headerKey(column.name);
  const same = readings.filter((each) => isSame(each) && each.column.filled > 0 && each.means !== NOT_READ);
  if (same.length < 2 || same[0]!.column !== column || means === NOT_READ) return [];
  return [
    columnFault(column.name, 'repeated_column', `${same.length} columns have this name.`, 'Give each its own name.'),
  ];
}
