// Formats one billing statement for a terminal: customer, items, amount, due date, payment, link.

import {boundedText, MAX_LINK} from '../../common/bounded-text.js';
import {isPayable, standingOf, type Standing} from '../../accounting/standing.js';
import {
  attemptSentence,
  paymentMethodName,
  paymentMethodText,
  settlementText,
  stateLabel,
  UNKNOWN_WORDS,
} from '../../accounting/words.js';
import {
  statementCustomerOf,
  paymentLinkOf,
  statementNumberOf,
  paymentOf,
  type StatementLike,
} from '../../api/statement.js';
import {isJsonObject} from '../../common/json.js';
import {relativeDay, isDay, longDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {oneLineText, formatValue} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';
import type {ResultColumn, CommandResult, ResultRow} from '../../output/result.js';
import {cellText} from '../../output/row-formats.js';
import {textMeasureFor} from '../../output/text-width.js';
import {fieldLines, withTotal, type FieldLine} from '../../output/tables/record-view.js';
import {tableView} from '../../output/tables/table-view.js';
import {methodNames} from './format-values.js';

/** Maximum columns of the title line, so that number and status stay close together. */
const TITLE_WIDTH = 80;
const INDENT = '  ';
/** Metadata keys that identify centavo's own statements. */
const CENTAVO_KEY_PREFIX = 'centavo_';

interface ViewOptions {
  readonly io: OutputStreams;
  /** Unix seconds. */
  readonly now: number;
  /** What happened to the money; by default, what the statement alone shows. */
  readonly standing?: Standing;
  /** Next step, as a command to paste. */
  readonly next?: string;
}
type StandingOptions = ViewOptions & {readonly standing: Standing};

/** @param statement the statement as displayed, without secrets */
export async function statementView(statement: StatementLike, given: ViewOptions): Promise<string> {
  const {io, now} = given;
  const options = {standing: standingOf(statement, {}, now), ...given};
  const parts = [
    (await titleLine(statement, options)) + (await customerLines(statement, io)),
    await itemLines(statement, options),
    await fieldLines(fieldsOf(statement, options), io, INDENT),
  ];
  return parts.filter(Boolean).join('\n');
}

async function titleLine(statement: StatementLike, {io, now, standing}: StandingOptions): Promise<string> {
  const title = boundedText(oneLineText(statementNumberOf(statement) ?? 'Billing statement'));
  const {text, style} = stateLabel(standing, now, true);
  const state = standing.state === 'unknown' ? boundedText(formatValue(statement.status, 'text')) : text;
  const {widthOf} = await textMeasureFor([title, state]);
  const gap = Math.max(2, Math.min(io.width, TITLE_WIDTH) - widthOf(title) - widthOf(state));
  return `${io.paint('bold', title)}${' '.repeat(gap)}${style ? io.paint(style, state) : state}\n`;
}

/** Returns name and email address, on two lines if they do not fit on one. */
async function customerLines(statement: StatementLike, io: OutputStreams): Promise<string> {
  const {id, name, email} = statementCustomerOf(statement);
  const deleted = isJsonObject(statement.customer) && statement.customer.deleted === true;
  const who = boundedText(oneLineText(name ?? id ?? '')) + (deleted ? ' (deleted)' : '');
  const address = email === undefined ? '' : `<${boundedText(oneLineText(email))}>`;
  const {widthOf} = await textMeasureFor([who, address]);
  const lines = widthOf(`${who} ${address}`) <= io.width ? [`${who} ${address}`.trim()] : [who, address];
  return lines
    .filter(Boolean)
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns a table of the items, or two lines per item if it does not fit. Draft items are edited by number. */
async function itemLines(statement: StatementLike, {io, standing}: StandingOptions): Promise<string> {
  const items = Array.isArray(statement.line_items) ? statement.line_items.filter(isJsonObject) : [];
  if (items.length === 0) return '';
  const columns = standing.state === 'draft' ? [PLACE, ...ITEM_COLUMNS] : ITEM_COLUMNS;
  const rows: ResultRow[] = items.map((item, index) => ({
    place: `#${index + 1}`,
    item: item.description ?? item.id,
    ...withTotal(item),
  }));
  const sum = {unit_price: 'Total', total: statement.amount};
  const result: CommandResult = {rows: [...rows, sum], document: rows, columns, all: columns, shape: 'many'};
  const {text} = await tableView(result, {io, width: io.width - INDENT.length});
  const lines = text?.trimEnd().split('\n') ?? [
    ...rows.flatMap((row) => {
      const words = columns.map((column) => boundedText(cellText(row, column)));
      const [quantity, price, total] = words.slice(-3);
      return [words.slice(0, -3).join(' '), `  ${quantity} × ${price} = ${total}`];
    }),
    `Total ${formatValue(statement.amount, 'centavos')}`,
  ];
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}

const PLACE: ResultColumn = {path: 'place', header: '', kind: 'text', rank: 1, whole: true};
const ITEM_COLUMNS: readonly ResultColumn[] = [
  {path: 'item', header: 'item', kind: 'text', rank: 1},
  {path: 'quantity', header: 'qty', kind: 'text', rank: 1, whole: true, align: 'right'},
  {path: 'unit_price', header: 'price', kind: 'centavos', rank: 1},
  {path: 'total', header: 'total', kind: 'centavos', rank: 1},
];

function fieldsOf(statement: StatementLike, {now, standing, next}: StandingOptions): FieldLine[] {
  const {finalized_at: finalized, created_at: created, payment_settings: settings} = statement;
  const {replacement, refunded, balance, paymentId, held, heldUntil, unknown} = standing;
  const hasItems = Array.isArray(statement.line_items) && statement.line_items.length > 0;
  const fields: readonly (readonly [label: string, text: string | undefined, whole?: boolean])[] = [
    ['Amount', hasItems ? undefined : formatValue(statement.amount, 'centavos')],
    ['Due', dueText(standing, now)],
    ['Finalized', dayText(finalized)],
    ['Paid', paidText(statement, standing)],
    ['Refunded', refunded ? formatPesos(refunded) : undefined],
    ['Settled', settlementText(standing)],
    ['Replaced', replacement && `by ${replacement.name}`],
    ['Owed', balance ? formatPesos(balance) : undefined],
    ['Held', held ? [formatPesos(held), dayText(heldUntil)].filter(Boolean).join(' until ') : undefined],
    // The title calls a statement with an unapproved payment open.
    ['Payment', attemptSentence({...standing, state: 'open'})],
    ['Not known', unknown.map((fact) => UNKNOWN_WORDS[fact]).join('; ')],
    ['Description', customDescription(statement)],
    ['Metadata', Array.from(metadataPairs(statement), (pair) => pair.join('=')).join(', ')],
    [
      'Methods',
      isPayable(standing) || standing.state === 'draft'
        ? methodNames(isJsonObject(settings) ? settings.payment_methods : undefined)
        : undefined,
    ],
    ['Created', dayText(created)],
    ['Link', paymentLinkOf(statement), true],
    ['Payment', paymentId, true],
    ['Id', formatValue(statement.id, 'text'), true],
    ['Next', next, true],
  ];
  return fields.flatMap(([label, text, whole]) =>
    text ? [{label, text: boundedText(oneLineText(text), whole ? MAX_LINK : undefined), whole}] : [],
  );
}

const dayText = (at: unknown): string | undefined => (isDay(at) ? longDay(at) : undefined);

function dueText({dueAt, state, balance}: Standing, now: number): string | undefined {
  const isDraft = state === 'draft';
  if (dueAt === undefined) return isDraft ? 'not set' : undefined;
  return isDraft || balance !== 0 ? `${longDay(dueAt)}, ${relativeDay(dueAt, now)}` : longDay(dueAt);
}

/** `Wednesday, 18 November 2026, GCash`; omits unknown parts. */
const paidText = (statement: StatementLike, standing: Standing): string =>
  [dayText(standing.paidAt), paidWithText(statement, standing)].filter(Boolean).join(', ');

/** `GCash`, `Visa ending in 4242`; undefined if the method is unknown. */
export const paidWithText = (statement: StatementLike, {method}: Standing): string | undefined =>
  paymentMethodText(paymentOf(statement)?.payment_method) ?? (method && paymentMethodName(method));

/** Returns the description; undefined for the API's default text. */
export function customDescription({description, billing_statement_number: number}: StatementLike): string | undefined {
  if (typeof description !== 'string') return undefined;
  return description === `Payment for Billing Statement ${String(number)}` ? undefined : description;
}

/** Returns keys and values, without the keys of centavo. */
export const metadataPairs = ({metadata}: StatementLike): (readonly [key: string, value: string])[] =>
  Object.entries(isJsonObject(metadata) ? metadata : {})
    .filter(([key]) => !key.startsWith(CENTAVO_KEY_PREFIX))
    .map(([key, value]) => [key, formatValue(value, 'text')]);
