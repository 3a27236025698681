// Formats one customer for a terminal: balance, statements, last payment and email, next steps.

import {isOwed, isReceived, type MoneyHistory} from '../../accounting/standing.js';
import {paymentMethodName, settledAt} from '../../accounting/words.js';
import {getterOf} from '../../api/registry.js';
import {statementText, unixTimeOf} from '../../api/statement.js';
import type {ReceiptReader} from '../../billing/reports/receipts.js';
import type {BookEntry} from '../../billing/reports/standings.js';
import {boundedText, MAX_LINK} from '../../common/bounded-text.js';
import {formatCount, formatInteger} from '../../common/counts.js';
import {CentavoError, messageAndReason, nextCommand} from '../../common/errors.js';
import {relativeDay, shortDay} from '../../common/manila.js';
import {commandText} from '../../common/next-text.js';
import {formatPesos} from '../../common/pesos.js';
import type {Context} from '../../context/context.js';
import {isEmail} from '../../input/email-address.js';
import {foldSentence, oneLineText} from '../../output/format.js';
import {moveIdsLast, type CommandResult, type ResultColumn, type ResultRow} from '../../output/result.js';
import {recordView} from '../../output/tables/record-view.js';
import {tableText} from '../../output/tables/views.js';
import {withReceipts} from '../account-reads.js';
import {accountArgs, nextStep} from '../next-steps.js';
import {apiResultOf} from '../presentation/results.js';
import {moneyHistory, withStandings} from '../presentation/standings.js';

/** Newest statements of the account that are read. */
const MAX_READ = 1000;
/** Rows that fit 24 lines with the rest. Open statements leave one row for another. */
const MAX_ROWS = 5;
/** Overdue statements in one command. */
const MAX_REMINDED = 3;

const COLUMNS = ['billing_statement_number', 'amount', 'due_at', 'status'];
/** Fields in the title, in the numbers, or in lists. */
const NOT_LISTED = ['name', 'email', 'billing_statement_prefix', 'created_at', 'updated_at'];
const LAST: readonly ResultColumn[] = [
  {path: 'last_payment', header: 'last payment', kind: 'text'},
  {path: 'last_email', header: 'last email', kind: 'text'},
];
const NOT_SHOWN = 'Not shown: payments without a statement, emails and settlements from elsewhere.';

/** @param customer as displayed, without secrets @param result its columns @param now unix seconds */
export async function customerView(
  context: Context,
  customer: ResultRow,
  result: CommandResult,
  now: number,
): Promise<string> {
  const {io} = context;
  // A failure of the other reads must not hide the customer.
  const desk = await readDesk(context, customer, now).catch((error: unknown) => {
    io.note(`Billing statements could not be read: ${messageAndReason(survivable(error))}`);
  });
  const columns = result.all.filter(({path}) => !result.omitted?.has(path) && !NOT_LISTED.includes(path));
  const known = {...customer, last_payment: desk?.lastPayment, last_email: desk?.lastEmail};
  const fields = await recordView(known, [...LAST, ...moveIdsLast(columns)], result, {io, now});
  const text = (value: unknown): string => boundedText(oneLineText(statementText(value) ?? ''));
  const title = [io.paint('bold', text(customer.name)), desk?.balance].filter(Boolean).join('  ');
  const notes = foldSentence(desk?.isCut ? `${CUT} ${NOT_SHOWN}` : NOT_SHOWN, io.width);
  const parts = [
    [title, text(customer.email)],
    ...(desk ? [desk.statements] : []),
    [fields.trimEnd()],
    ...(desk ? [[...desk.next, ...notes.map((line) => io.paint('dim', line))]] : []),
  ];
  return parts.map((part) => `${part.filter(Boolean).join('\n')}\n`).join('\n');
}

const CUT = `Only the ${formatInteger(MAX_READ)} newest statements of the account were read.`;

/** Throws what no other read may hide: an interruption or a bug. */
function survivable(error: unknown): CentavoError {
  if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
  return error;
}

/** Reads what the account and this machine know of a customer's money, as text. */
async function readDesk(context: Context, {id, email}: ResultRow, now: number) {
  const customerId = String(id);
  // If several customers have the address, the terminal asks.
  const reference = typeof email === 'string' && isEmail(email) ? email : customerId;
  const {Aging, readBook, REMINDER_PAUSE, totalReceivable} = await context.billing();
  const client = await context.client();
  const history = await moneyHistory(context);
  return withReceipts(context, async (options) => {
    const bounded = {...options, history, now, customerId, maximum: MAX_READ};
    const {entries, drafts, isCut} = await readBook(client, bounded, {});
    const aging = new Aging();
    for (const {object, standing} of entries) aging.add(object, standing);
    const {owed, overdue} = totalReceivable(aging.customers());
    const least = isCut || aging.unknown.length > 0 ? 'at least ' : '';
    const late = overdue === owed ? 'all' : formatPesos(overdue);
    const due = ({standing: {dueAt}}: BookEntry): number => dueAt ?? Infinity;
    const open = entries.filter(({standing}) => isOwed(standing)).sort((a, b) => due(a) - due(b));
    const ended = entries.filter(({standing}) => !isOwed(standing)).reverse();
    const account = accountArgs(context);
    const standings = open.map(({standing}) => standing);
    const quiet = standings.filter(({id}) => (history.send(id)?.at ?? 0) <= now - REMINDER_PAUSE);
    const reminded = quiet.filter(({state}) => state === 'overdue').map(({name}) => name);
    const unsent = standings.find(({id, state}) => state === 'open' && !history.send(id));
    return {
      isCut,
      balance: `owes ${least}${formatPesos(owed)}${overdue > 0 ? `, ${late} overdue` : ''}`,
      statements: await statementLines(context, {open, ended, drafts}, now),
      lastPayment: await lastPaymentOf(ended, options.receipts, now),
      lastEmail: lastEmailOf(entries, history, now),
      next: [
        ...(reminded.length > 0 ? [nextStep('remind', reminded.slice(0, MAX_REMINDED), account)] : []),
        ...(unsent ? [nextStep('send_unsent', unsent.name, account)] : []),
        nextCommand('To bill them', 'bill', reference, account),
        nextCommand('All movements', 'customers ledger', reference, account),
      ].map((step) => boundedText(oneLineText(commandText(step)), MAX_LINK)),
    };
  });
}

const dayText = (at: number, now: number): string => `${shortDay(at, now)} (${relativeDay(at, now)})`;

function lastEmailOf(entries: readonly BookEntry[], history: MoneyHistory, now: number): string {
  const sends = entries.flatMap(({standing: {id, name}}) =>
    [history.send(id) ?? []].flat().map((send) => ({...send, name})),
  );
  const [last] = sends.sort((a, b) => b.at - a.at);
  if (!last) return 'none from this machine';
  return `${dayText(last.at, now)}: ${last.name}${last.state === 'sent' ? '' : ', unconfirmed'}`;
}

/** Reads the payment of the statement that was paid, or changed, last. */
async function lastPaymentOf(ended: readonly BookEntry[], receipts: ReceiptReader, now: number) {
  const changedAt = ({object}: BookEntry): number => unixTimeOf(object.updated_at) ?? 0;
  const [last] = ended.filter(({standing}) => isReceived(standing)).sort((a, b) => changedAt(b) - changedAt(a));
  if (!last) return undefined;
  const {settlement, name, received, settled} = last.standing;
  const read = settlement ? undefined : receipts.receiptOf(last.object);
  const receipt = await read?.catch((error: unknown) => void survivable(error));
  const how = settlement?.reason ?? (receipt?.method && paymentMethodName(receipt.method));
  const at = receipt?.at ?? settledAt(last.standing);
  const words = [formatPesos(received || settled || 0), how, name].filter(Boolean).join(', ');
  return `${at === undefined ? 'date not known' : dayText(at, now)}: ${words}`;
}

/** Returns a table of the open statements, then of the newest others. */
async function statementLines(
  context: Context,
  {open, ended, drafts}: {open: readonly BookEntry[]; ended: readonly BookEntry[]; drafts: number},
  now: number,
): Promise<string[]> {
  const all = open.length + ended.length;
  const draftText = drafts > 0 ? formatCount(drafts, 'draft') : '';
  if (all === 0) return ['Nothing was billed.', draftText];
  const shown = open.slice(0, ended.length > 0 ? MAX_ROWS - 1 : MAX_ROWS);
  const rows = [...shown, ...ended.slice(0, MAX_ROWS - shown.length)].map(({object}) => object as ResultRow);
  const listed = apiResultOf(getterOf('bstm_')!.resource.shape, rows, rows, 'many');
  const {shown: cells = rows, ...result} = await withStandings(context, listed);
  const atTerminal = result.atTerminal?.filter(({path}) => COLUMNS.includes(path));
  const {text} = await tableText({...result, rows: cells, atTerminal}, {io: context.io, now});
  const hidden = open.length - shown.length;
  const more = all === rows.length ? '' : `${all - rows.length} more${hidden > 0 ? `, ${hidden} of them open` : ''}`;
  const rest = [more, draftText].filter(Boolean).join('; ');
  return [text.trimEnd(), rest && `and ${rest}`];
}
