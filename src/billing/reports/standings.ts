// Reads an account once, and gives what happened to the money of each billing statement and checkout session.

import {balanceAt, exactCentavos, isInPeriod, type Movement, type Period} from '../../accounting/movements.js';
import {replacedBy, replacementLookup} from '../../accounting/replacements.js';
import {
  knownFrom,
  paymentIdIn,
  standingOf,
  type KnownFacts,
  type MoneyHistory,
  type Standing,
} from '../../accounting/standing.js';
import {statementCustomerOf, statementNumberOf, unixTimeOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import {sessionPages, statementPages, type AccountReadOptions} from '../account/account-reader.js';
import type {BillingStatementData} from '../statement/plan.js';
import {mapWithLimit, type ReceiptReader} from './receipts.js';

export interface BookOptions extends AccountReadOptions {
  readonly receipts: ReceiptReader;
  readonly history: MoneyHistory;
  /** Unix seconds, by the account's clock. */
  readonly now: number;
  readonly customerId?: string;
  /** Called with the number of statements whose details have been read. */
  readonly onReceipt?: (count: number, of: number) => void;
}

/** What a report needs. Details that lists omit take requests. */
export interface BookNeeds {
  readonly period?: Period;
  /** True for the dates of billing. */
  readonly dates?: boolean;
  /** True for the payments that came in, with their refunds. */
  readonly payments?: boolean;
  /** True for the number and customer of each entry. */
  readonly names?: boolean;
  readonly sessions?: boolean;
  /** True if these movements of the period make an entry; by default any movement does. */
  readonly isEntry?: (movements: readonly Movement[]) => boolean;
}

export interface BookEntry {
  /** A billing statement or checkout session. */
  readonly object: BillingStatementData;
  readonly standing: Standing;
}

/** The entries of a period, oldest billing first. */
export interface Book {
  readonly entries: readonly BookEntry[];
  /** Centavos owed at the end of the period for statements without an entry. */
  readonly carriedForward: number;
  /** False if the service does not list checkout sessions. */
  readonly hasSessions: boolean;
  /** Number of drafts created in the period. */
  readonly drafts: number;
  /** Names of statements without an amount, which no sum includes. */
  readonly withoutAmount: readonly string[];
}

export async function readBook(
  client: Client,
  {receipts, history, now, customerId, onReceipt, ...paging}: BookOptions,
  {period = {}, isEntry = ({length}) => length > 0, ...needs}: BookNeeds,
): Promise<Book> {
  const {since = -Infinity, until = Infinity} = period;
  const replacing: BillingStatementData[] = [];
  const candidates: BillingStatementData[] = [];
  let [drafts, carried] = [0, 0n];
  const standingIn = (object: BillingStatementData, facts: KnownFacts = {}): Standing => {
    const receipt = facts.receipt ?? receipts.known(object.id);
    const known = knownFrom(history, object, paymentIdIn(object) ?? receipt.id);
    return standingOf(object, {finalizedAt: receipts.known(object.id).finalizedAt, ...known, receipt, ...facts}, now);
  };
  const hasEntry = ({movements, refunded, paymentId}: Standing): boolean =>
    isEntry(movements.filter(({bookedAt}) => isInPeriod(bookedAt, period))) ||
    (refunded === null && wasRefunded(paymentId));
  const wasRefunded = (id: string | undefined): boolean =>
    id !== undefined && history.refunds(id).some(({at}) => isInPeriod(at, period));
  /** True if the object may have an entry that the list does not show. A refund does not change `updated_at`. */
  const mayHaveEntry = (object: BillingStatementData, {received}: Standing): boolean =>
    (unixTimeOf(object.created_at) ?? 0) <= until &&
    ((unixTimeOf(object.updated_at) ?? Infinity) >= since ||
      (received !== 0 && [object.id, paymentIdIn(object), receipts.known(object.id).id].some(wasRefunded)));
  const take = (object: BillingStatementData): void => {
    if (replacedBy(object) !== undefined) replacing.push(object);
    if (customerId !== undefined && statementCustomerOf(object).id !== customerId) return;
    const standing = standingIn(object);
    if (standing.state === 'draft' && isInPeriod(unixTimeOf(object.created_at), period)) drafts++;
    if (mayHaveEntry(object, standing) || hasEntry(standing)) candidates.push(object);
    else carried += BigInt(balanceAt(standing.movements, until));
  };
  for await (const {data} of statementPages(client, paging)) data.forEach(take);
  const hasSessions = needs.sessions === true && (await readSessions(client, paging, take));

  const replacementOf = replacementLookup([...replacing, ...candidates], history);
  const entryOf = async (listed: BillingStatementData): Promise<BookEntry> => {
    const replacement = replacementOf(listed.id);
    if (needs.dates && listed.id.startsWith('bstm_')) await receipts.finalizedAt(listed);
    const first = standingIn(listed, {replacement});
    const isReceived = needs.payments === true && first.received !== 0;
    const receipt = isReceived ? await receipts.receiptOf(listed) : undefined;
    const standing = receipt ? standingIn(listed, {replacement, receipt, payment: receipt.payment}) : first;
    if (!hasEntry(standing)) return {object: listed, standing};
    const object = needs.names ? await receipts.readStatement(listed) : listed;
    // The statement may have changed during the report.
    if (object.status !== listed.status) return entryOf(object);
    if (!receipt || receipt.payment || receipt.at === undefined) return {object, standing};
    const {payment} = await receipts.receiptOf(listed, true);
    return {object, standing: standingIn(listed, {replacement, receipt, payment})};
  };
  const read = await mapWithLimit(candidates, entryOf, (count) => onReceipt?.(count, candidates.length));
  const entries = read.reverse().filter(({standing}) => hasEntry(standing));
  const others = read.filter(({standing}) => !hasEntry(standing));
  for (const {standing} of others) carried += BigInt(balanceAt(standing.movements, until));
  return {
    entries: entries.sort((a, b) => billedFrom(a) - billedFrom(b)),
    carriedForward: exactCentavos(carried),
    hasSessions,
    drafts,
    withoutAmount: read.flatMap(({standing: {name, unknown}}) => (unknown.includes('amount') ? [name] : [])),
  };
}

const billedFrom = ({standing: {movements}}: BookEntry): number => movements[0]?.bookedAt ?? 0;

/** Returns false if the service refuses the list, which the API does not document. */
async function readSessions(
  client: Client,
  paging: AccountReadOptions,
  take: (session: BillingStatementData) => void,
): Promise<boolean> {
  try {
    for await (const {data} of sessionPages(client, paging)) data.forEach(take);
    return true;
  } catch (error) {
    if (error instanceof CentavoError && ['auth', 'not_found', 'rejected'].includes(error.kind)) return false;
    throw error;
  }
}

/** Fields that identify an entry, under their printed names. */
export const namesOf = ({id, ...object}: BillingStatementData) => {
  const {id: customerId, name, email} = statementCustomerOf(object);
  const isStatement = id.startsWith('bstm_');
  return {
    number: statementNumberOf(object) ?? null,
    customer: name ?? null,
    email: email ?? null,
    customer_id: customerId ?? null,
    statement_id: isStatement ? id : null,
    checkout_session_id: isStatement ? null : id,
  };
};
