// A ledger as a result to print: its columns, its totals, and what it cannot show.

import type {Ledger, LedgerEntry} from '../../billing/books/ledger.js';
import type {Context} from '../../context.js';
import {shortDay} from '../../manila.js';
import {clean} from '../../output/format.js';
import type {Column, Result} from '../../output/result.js';
import {formatPesos} from '../../pesos.js';
import {recordColumns, resultOfRecords} from '../columns.js';

const WORDS: Readonly<Record<LedgerEntry['type'], string>> = {
  opening: 'Opening balance',
  statement: 'Statement',
  payment: 'Payment',
  refund: 'Refund',
  void: 'Void',
  uncollectible: 'Uncollectible',
};
const METHODS: Readonly<Record<string, string>> = {
  card: 'card',
  gcash: 'GCash',
  maya: 'Maya',
  qrph: 'QR Ph',
  billease: 'BillEase',
};

const COLUMNS: readonly Column[] = [
  {path: 'date', header: 'date', kind: 'status', rank: 1},
  {path: 'what', header: 'what', kind: 'text', rank: 3},
  {path: 'number', header: 'number', kind: 'status', rank: 4},
  {path: 'billed', header: 'billed', kind: 'centavos', rank: 3},
  {path: 'paid', header: 'paid', kind: 'centavos', rank: 3},
  {path: 'balance', header: 'balance', kind: 'centavos', rank: 1},
];
/** The fields, for programs and spreadsheets. */
const FIELDS = recordColumns(
  ['at', 'type', 'number', 'statement_id', 'payment_id', 'detail', 'billed', 'paid', 'balance'],
  {at: 'timestamp', billed: 'centavos', paid: 'centavos', balance: 'centavos'},
);

/** @param forCsv whether it is for a spreadsheet, which gets the fields as they are */
export function resultOfLedger(
  ledger: Ledger,
  customer: {readonly id: string; readonly name?: string; readonly isDeleted: boolean},
  {io, shownAt}: Context,
  forCsv: boolean,
): Result {
  const {entries, billed, paid, owed, undated, waiting, unnamed} = ledger;
  const name = `${clean(customer.name ?? customer.id)}${customer.isDeleted ? ' (deleted)' : ''}`;
  const notes = [
    undated > 0 && `${formatPesos(undated)} was refunded on a date that the API does not give.`,
    waiting > 0 && `${formatPesos(waiting)} was refunded from this machine and is not shown by the API yet.`,
    unnamed.length > 0 && `The API names no payment of ${unnamed.join(', ')}: its date is that of the last change.`,
  ].filter((note) => note !== false);
  for (const note of notes) io.note(note);
  const document = {
    resource: 'list',
    has_more: false,
    customer_id: customer.id,
    name: customer.name ?? null,
    ...(customer.isDeleted && {deleted: true}),
    currency: 'PHP',
    ...{billed, paid, owed, undated_refunds: undated, pending_refunds: waiting, payments_not_named: unnamed},
    data: entries,
  };
  return resultOfRecords(entries, forCsv ? FIELDS : COLUMNS, {
    shown: entries.map((entry) => ({...entry, ...wordsOf(entry, shownAt()), ...(forCsv && entry)})),
    document,
    all: [...COLUMNS, ...FIELDS.filter(({path}) => COLUMNS.every((column) => column.path !== path))],
    empty: `Nothing was billed to ${name}.`,
    below: [`${name}: billed ${formatPesos(billed)}, paid ${formatPesos(paid)}, owes ${formatPesos(owed)}`],
  });
}

function wordsOf({at, type, detail, billed, paid}: LedgerEntry, now: number) {
  const more = detail === null ? '' : `, ${clean(METHODS[detail] ?? detail)}`;
  return {
    date: at === null ? '' : shortDay(at, now),
    // What ends a statement with a reason is a settlement.
    what: `${type === 'void' && detail !== null ? 'Settled' : WORDS[type]}${more}`,
    // An amount of nothing is left empty.
    billed: billed === 0 ? null : billed,
    paid: paid === 0 ? null : paid,
  };
}
