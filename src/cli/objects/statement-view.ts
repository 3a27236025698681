// One billing statement at a terminal: customer, items, amount, due date, payment, link.

import {customerOf, dueOf, linkOf, numberOf, owedOn, paymentOf, type StatementLike} from '../../api/statement.js';
import type {Settlement} from '../../billing/books/settlements.js';
import {isHash} from '../../ground/json.js';
import {fromNow, isDay, longDay} from '../../ground/manila.js';
import {formatPesos} from '../../ground/pesos.js';
import {clean, formatValue} from '../../output/format.js';
import type {Io, Style} from '../../output/io.js';
import {rulerFor} from '../../output/tables/measure.js';
import {fieldLines, type FieldLine} from '../../output/tables/record-view.js';
import {renderTable} from '../../output/tables/table.js';
import {methodNames, methodWords, statusWords} from './value-words.js';

/** Columns of the title line: further apart, number and status would not be read together. */
const TITLE_WIDTH = 80;
const INDENT = '  ';
/** Metadata keys with which centavo finds its statements again. */
const OWN_KEYS = 'centavo_';

interface ViewOptions {
  readonly io: Io;
  /** Unix seconds. */
  readonly now: number;
  /** Outside the service, from the local history. */
  readonly settlement?: Settlement;
}

/** @param statement without secrets, as displayed */
export async function statementView(statement: StatementLike, options: ViewOptions): Promise<string> {
  const {io} = options;
  const parts = [
    (await titleLine(statement, options)) + (await customerLines(statement, io)),
    await itemLines(statement, io),
    await fieldLines(fieldsOf(statement, options), io, INDENT),
  ];
  return parts.filter(Boolean).join('\n');
}

async function titleLine(statement: StatementLike, {io, now, settlement}: ViewOptions): Promise<string> {
  const title = clean(numberOf(statement) ?? 'Billing statement');
  const words = statusWords(statement, {now, beside: new Set(['due_at'])});
  const isSettled = settlement !== undefined && statement.status === 'void';
  const state = words?.text ?? (isSettled ? 'settled' : formatValue(statement.status, 'text'));
  const {widthOf} = await rulerFor([title, state]);
  const gap = Math.max(2, Math.min(io.width, TITLE_WIDTH) - widthOf(title) - widthOf(state));
  const style: Style | undefined = words?.style ?? STATE_STYLES[state];
  return `${io.paint('bold', title)}${' '.repeat(gap)}${style ? io.paint(style, state) : state}\n`;
}

const STATE_STYLES: Readonly<Partial<Record<string, Style>>> = {
  open: 'yellow',
  paid: 'green',
  draft: 'dim',
  void: 'dim',
  settled: 'dim',
  uncollectible: 'red',
};

/** Name and email address, on two lines if they do not fit on one. */
async function customerLines(statement: StatementLike, io: Io): Promise<string> {
  const {id, name, email} = customerOf(statement);
  const deleted = isHash(statement.customer) && statement.customer.deleted === true;
  const who = clean(name ?? id ?? '') + (deleted ? ' (deleted)' : '');
  const address = email === undefined ? '' : `<${clean(email)}>`;
  const {widthOf} = await rulerFor([who, address]);
  const lines = widthOf(`${who} ${address}`) <= io.width ? [`${who} ${address}`.trim()] : [who, address];
  return lines
    .filter(Boolean)
    .map((line) => `${line}\n`)
    .join('');
}

/** A table of the items, numbered in a draft, where they are changed by number; two lines each if it does not fit. */
async function itemLines(statement: StatementLike, io: Io): Promise<string> {
  const items = Array.isArray(statement.line_items) ? statement.line_items.filter(isHash) : [];
  if (items.length === 0) return '';
  const isDraft = statement.status === 'draft';
  const rows = items.map((item, index) => [
    ...(isDraft ? [`#${index + 1}`] : []),
    formatValue(item.description ?? item.id, 'text'),
    formatValue(item.quantity, 'text'),
    formatValue(item.unit_price, 'centavos'),
    lineTotal(item),
  ]);
  const amount = formatValue(statement.amount, 'centavos');
  const table = await renderTable(
    [
      ...(isDraft ? [{header: '', align: 'left', wraps: false} as const] : []),
      {header: 'ITEM', align: 'left', wraps: true},
      {header: 'QTY', align: 'right', wraps: false},
      {header: 'PRICE', align: 'right', wraps: false},
      {header: 'TOTAL', align: 'right', wraps: false},
    ],
    [...rows, [...(isDraft ? [''] : []), '', '', 'Total', amount]].map((row) => row.map((text) => ({text}))),
    io,
    io.width - INDENT.length,
  );
  const lines = table?.trimEnd().split('\n') ?? [
    ...rows.flatMap((row) => {
      const [quantity, price, total] = row.slice(-3);
      return [row.slice(0, -3).join(' '), `  ${quantity} × ${price} = ${total}`];
    }),
    `Total ${amount}`,
  ];
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}

function lineTotal({quantity, unit_price: price}: Readonly<Record<string, unknown>>): string {
  if (typeof quantity !== 'number' || typeof price !== 'number') return '';
  return Number.isSafeInteger(quantity * price) ? formatPesos(quantity * price) : '';
}

function fieldsOf(statement: StatementLike, {now, settlement}: ViewOptions): FieldLine[] {
  const {status, finalized_at: finalized, created_at: created, payment_settings: settings} = statement;
  const payment = paymentOf(statement);
  const owed = owedOn(statement);
  const hasItems = Array.isArray(statement.line_items) && statement.line_items.length > 0;
  const fields: readonly (readonly [label: string, text: string | undefined, whole?: boolean])[] = [
    ['Amount', hasItems ? undefined : formatValue(statement.amount, 'centavos')],
    ['Due', dueWords(statement, now)],
    ['Finalized', dayWords(finalized)],
    ['Paid', status === 'paid' && payment ? paidWords(payment) : undefined],
    [
      'Refunded',
      payment && typeof payment.amount_refunded === 'number' && payment.amount_refunded > 0
        ? formatPesos(payment.amount_refunded)
        : undefined,
    ],
    ['Settled', settlement && settledWords(settlement, status)],
    ['Owed', owed ? formatPesos(owed) : undefined],
    ['Description', ownDescription(statement)],
    ['Metadata', metadataWords(statement.metadata)],
    [
      'Methods',
      status === 'open' || status === 'draft'
        ? methodNames(isHash(settings) ? settings.payment_methods : undefined)
        : undefined,
    ],
    ['Created', dayWords(created)],
    ['Link', linkOf(statement), true],
    ['Payment', status === 'paid' ? formatValue(payment?.id, 'text') : undefined, true],
    ['Id', formatValue(statement.id, 'text'), true],
  ];
  return fields.flatMap(([label, text, whole]) => (text ? [{label, text: clean(text), whole}] : []));
}

const dayWords = (at: unknown): string | undefined => (isDay(at) ? longDay(at) : undefined);

function dueWords(statement: StatementLike, now: number): string | undefined {
  const due = dueOf(statement);
  if (!isDay(due)) return statement.status === 'draft' ? 'not set' : undefined;
  const waits = statement.status === 'open' || statement.status === 'draft';
  return waits ? `${longDay(due)}, ${fromNow(due, now)}` : longDay(due);
}

/** `Thursday, 12 November 2026: cash (voided)` */
const settledWords = ({at, reason}: Settlement, status: unknown): string =>
  `${longDay(at)}: ${reason} (${status === 'void' ? 'voided' : 'marked uncollectible'})`;

/** `Wednesday, 18 November 2026, GCash`, as far as it is known. */
const paidWords = (payment: StatementLike): string =>
  [dayWords(payment.created_at), methodWords(payment.payment_method)].filter(Boolean).join(', ');

/** Not the default text of the service. */
function ownDescription({description, billing_statement_number: number}: StatementLike): string | undefined {
  if (typeof description !== 'string') return undefined;
  return description === `Payment for Billing Statement ${String(number)}` ? undefined : description;
}

const metadataWords = (metadata: unknown): string | undefined =>
  isHash(metadata)
    ? Object.entries(metadata)
        .filter(([key]) => !key.startsWith(OWN_KEYS))
        .map(([key, value]) => `${key}=${formatValue(value, 'text')}`)
        .join(', ')
    : undefined;
