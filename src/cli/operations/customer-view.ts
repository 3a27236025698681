// Formats one customer for a terminal: balance, statements, last payment and email, next steps.

import {isOwed, isReceived, type MoneyHistory} from '../../accounting/standing.js';
import {paymentMethodName, settledAt} from '../../accounting/words.js';
import {getterOf} from '../../api/registry.js';
import {statementText, unixTimeOf} from '../../api/statement.js';
import type {BookEntry} from '../../billing/reports/standings.js';
import {boundedText, MAX_LINK} from '../../common/bounded-text.js';
import {formatCount} from '../../common/counts.js';
import {CentavoError, messageAndReason, nextCommand} from '../../common/errors.js';
import {relativeDay, shortDay} from '../../common/manila.js';
import {commandText} from '../../common/next-text.js';
import {formatPesos} from '../../common/pesos.js';
import type {Context} from '../../context/context.js';
import {isEmail} from '../../input/email-address.js';
import {foldSentence, oneLineText} from '../../output/format.js';
import {moveIdsLast, type CommandResult, type ResultColumn, type ResultRow} from '../../output/result.js';
import {metadataPairs} from '../presentation/statement-view.js';
import {recordView} from '../../output/tables/record-view.js';
import {tableText} from '../../output/tables/views.js';
import {accountArgs, nextStep} from '../next-steps.js';
import {readBookOf} from '../read-book.js';
import {apiResultOf} from '../presentation/results.js';
import {moneyHistory, stateFormatter} from '../presentation/standings.js';

/** Statements that fit 24 lines with the rest. Open statements leave one row for another. */
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
  const money = await readMoney(context, customer, now).catch((error: unknown) => {
    io.note(`Billing statements could not be read: ${messageAndReason(survivable(error))}`);
  });
  const columns = result.all.filter(({path}) => !result.omitted?.has(path) && !NOT_LISTED.includes(path));
  const shown = {...customer, metadata: Object.fromEntries(metadataPairs(customer)), ...money?.last};
  const fields = await recordView(shown, [...LAST, ...moveIdsLast(columns)], result, {io, now});
  const text = (value: unknown): string => boundedText(oneLineText(statementText(value) ?? ''));
  const title = [io.paint('bold', text(customer.name)), money?.balance];
  const notes = foldSentence(NOT_SHOWN, io.width).map((line) => io.paint('dim', line));
  const parts = [
    [title.filter(Boolean).join('  '), text(customer.email)],
    money?.statements ?? [],
    [fields.trimEnd()],
    money ? [...money.next, ...notes] : [],
  ].map((lines) => lines.filter(Boolean).join('\n'));
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Throws errors that must end the command: an interruption or a bug. */
function survivable(error: unknown): CentavoError {
  if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
  return error;
}

/** Reads what the account and this machine know of a customer's money, as text. */
async function readMoney(context: Context, {id, email}: ResultRow, now: number) {
  const history = await moneyHistory(context, () => {});
  const {entries, drafts, withoutAmount} = await readBookOf(context, {customerId: String(id)});
  const {Aging, REMINDER_PAUSE, totalReceivable} = await context.billing();
  const aging = new Aging();
  for (const {object, standing} of entries) aging.add(object, standing);
  const {owed, overdue} = totalReceivable(aging.customers());
  const least = withoutAmount.length > 0 ? 'at least ' : '';
  const late = overdue === owed ? 'all' : formatPesos(overdue);
  const due = ({standing: {dueAt}}: BookEntry): number => dueAt ?? Infinity;
  const open = entries.filter(({standing}) => isOwed(standing)).sort((a, b) => due(a) - due(b));
  const ended = entries.filter(({standing}) => !isOwed(standing)).reverse();
  const changedAt = ({object}: BookEntry): number => unixTimeOf(object.updated_at) ?? 0;
  const [paid] = ended.filter(({standing}) => isReceived(standing)).sort((a, b) => changedAt(b) - changedAt(a));

  const standings = open.map(({standing}) => standing);
  const isQuiet = (statement: string): boolean => (history.send(statement)?.at ?? 0) <= now - REMINDER_PAUSE;
  const reminded = standings.filter((each) => each.state === 'overdue' && isQuiet(each.id)).map(({name}) => name);
  const unsent = standings.find((each) => each.state === 'open' && !history.send(each.id));
  const printed = paid?.standing ?? standings[0];
  // If several customers have the address, the terminal asks.
  const reference = typeof email === 'string' && isEmail(email) ? email : String(id);
  const account = accountArgs(context);
  const next = [
    ...(reminded.length > 0 ? [nextStep('remind', reminded.slice(0, MAX_REMINDED), account)] : []),
    ...(unsent ? [nextStep('send_unsent', unsent.name, account)] : []),
    ...(printed ? [nextCommand(`To print the ${paid ? 'payment' : 'statement'}`, 'print', printed.name, account)] : []),
    nextCommand('To bill them', 'bill', reference, account),
    nextCommand('All movements', 'customers ledger', reference, account),
  ];
  return {
    balance: `owes ${least}${formatPesos(owed)}${overdue > 0 ? `, ${late} overdue` : ''}`,
    statements: await statementLines(context, {open, ended, drafts}, now),
    last: {
      last_payment: paid && (await paymentText(context, paid, now)),
      last_email: lastEmailOf(entries, history, now),
    },
    next: next.map((step) => boundedText(oneLineText(commandText(step)), MAX_LINK)),
  };
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

/** `12 Nov (yesterday): ₱1,500.00, GCash, JUAN-0001`. Reads the payment, which no list contains. */
async function paymentText(context: Context, {object, standing}: BookEntry, now: number): Promise<string> {
  const {settlement, name, received, settled} = standing;
  const {ReceiptReader} = await context.billing();
  const read = settlement ? undefined : new ReceiptReader(await context.client(), context).receiptOf(object);
  const receipt = await read?.catch((error: unknown) => void survivable(error));
  const how = settlement?.reason ?? (receipt?.method && paymentMethodName(receipt.method));
  const at = receipt?.at ?? settledAt(standing);
  const words = [formatPesos(received || settled || 0), how, name].filter(Boolean).join(', ');
  return `${at === undefined ? 'date not known' : dayText(at, now)}: ${words}`;
}

/** Returns a table of the open statements, then of the newest others. */
async function statementLines(
  {io}: Context,
  {open, ended, drafts}: {open: readonly BookEntry[]; ended: readonly BookEntry[]; drafts: number},
  now: number,
): Promise<string[]> {
  const draftText = drafts > 0 ? formatCount(drafts, 'draft') : '';
  const shownOpen = open.slice(0, ended.length > 0 ? MAX_ROWS - 1 : MAX_ROWS);
  const shown = [...shownOpen, ...ended.slice(0, MAX_ROWS - shownOpen.length)];
  if (shown.length === 0) return ['Nothing was billed.', draftText];
  const rows = shown.map(({object}) => object as ResultRow);
  const standings = new Map(shown.map(({standing}) => [standing.id, standing]));
  const result = apiResultOf(getterOf('bstm_')!.resource.shape, rows, rows, 'many');
  const atTerminal = result.atTerminal?.filter(({path}) => COLUMNS.includes(path));
  const formatters = async () => new Map([['status', stateFormatter(standings)]]);
  const {text} = await tableText({...result, atTerminal, formatters}, {io, now});
  const [more, hidden] = [open.length + ended.length - rows.length, open.length - shownOpen.length];
  const moreText = more > 0 ? `${more} more${hidden > 0 ? `, ${hidden} of them open` : ''}` : '';
  const rest = [moreText, draftText].filter(Boolean).join('; ');
  return [text.trimEnd(), rest && `and ${rest}`];
}
