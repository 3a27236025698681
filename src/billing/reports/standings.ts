// Reads an account once, and gives what happened to the money of each billing statement and checkout session.

import {balanceAt, exactCentavos, isInPeriod, type Movement, type Period} from '../../accounting/movements.js';
import {replacedBy, replacementLookup} from '../../accounting/replacements.js';
import {
  knownFrom,
  paymentIdIn,
  standingOf,
  type KnownFacts,
  type MoneyHistory,
  type Replacement,
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

/** Objects and details that a report needs. Details that lists omit take requests. */
export interface BookNeeds {
  readonly period?: Period;
  readonly dates?: boolean;
  /** True for the payments that came in, with their refunds, also those of checkout sessions. */
  readonly payments?: boolean;
  /** True for the number and customer of each entry. */
  readonly names?: boolean;
  /** True if these movements of the period make an entry; by default any movement does. */
  readonly isEntry?: (movements: readonly Movement[]) => boolean;
}

export interface BookEntry {
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
  readonly drafts: number;
  /** Names of statements without an amount, which no sum includes. */
  readonly withoutAmount: readonly string[];
}

export async function readBook(client: Client, options: BookOptions, needs: BookNeeds): Promise<Book> {
  const {history, customerId, onReceipt, signal, onPage} = options;
  const {standingOf, hasEntry, mayHaveEntry} = rulesOf(options, needs);
  const replacing: BillingStatementData[] = [];
  const candidates: BillingStatementData[] = [];
  let [drafts, carried] = [0, 0n];
  const carry = ({movements}: Standing): void =>
    void (carried += BigInt(balanceAt(movements, needs.period?.until ?? Infinity)));
  const take = (object: BillingStatementData): void => {
    if (replacedBy(object) !== undefined) replacing.push(object);
    if (customerId !== undefined && statementCustomerOf(object).id !== customerId) return;
    const standing = standingOf(object);
    const {state} = standing;
    if (state === 'draft' && isInPeriod(unixTimeOf(object.created_at), needs.period ?? {})) drafts++;
    if (state === 'draft' || state === 'deleted') return;
    if (mayHaveEntry(object, standing) || hasEntry(standing)) candidates.push(object);
    else carry(standing);
  };
  for await (const {data} of statementPages(client, {signal, onPage})) data.forEach(take);
  const hasSessions = needs.payments === true && (await readSessions(client, {signal}, take));
  const replacementOf = replacementLookup([...replacing, ...candidates], history);
  const read = await mapWithLimit(
    candidates,
    (listed) => readEntry(listed, replacementOf(listed.id), options, needs),
    (count) => onReceipt?.(count, candidates.length),
  );
  const entries = read.reverse().filter(({standing}) => hasEntry(standing));
  for (const {standing} of read) if (!hasEntry(standing)) carry(standing);
  return {
    entries: entries.sort((a, b) => billedFrom(a) - billedFrom(b)),
    carriedForward: exactCentavos(carried),
    hasSessions,
    drafts,
    withoutAmount: read.flatMap(({standing: {name, unknown}}) => (unknown.includes('amount') ? [name] : [])),
  };
}

function rulesOf({receipts, history, now}: BookOptions, {period = {}, isEntry = ({length}) => length > 0}: BookNeeds) {
  const {since = -Infinity, until = Infinity} = period;
  const wasRefunded = (id: string | undefined): boolean =>
    id !== undefined && history.refunds(id).some(({at}) => isInPeriod(at, period));
  return {
    standingOf: (object: BillingStatementData, facts: KnownFacts = {}): Standing => {
      const {finalizedAt, ...receipt} = receipts.known(object.id);
      const known = knownFrom(history, object, paymentIdIn(object) ?? facts.receipt?.id ?? receipt.id);
      return standingOf(object, {finalizedAt, receipt, ...known, ...facts}, now);
    },
    hasEntry: ({movements, refunded, paymentId}: Standing): boolean =>
      isEntry(movements.filter(({bookedAt}) => isInPeriod(bookedAt, period))) ||
      (refunded === null && wasRefunded(paymentId)),
    /** True if the object may have an entry that the list does not show. A refund does not change `updated_at`. */
    mayHaveEntry: (object: BillingStatementData, {received}: Standing): boolean =>
      (unixTimeOf(object.created_at) ?? 0) <= until &&
      ((unixTimeOf(object.updated_at) ?? Infinity) >= since ||
        (received !== 0 && [object.id, paymentIdIn(object), receipts.known(object.id).id].some(wasRefunded))),
  };
}

/** Reads the details of an object that the report needs, and its payment if that makes an entry. */
async function readEntry(
  listed: BillingStatementData,
  replacement: Replacement | undefined,
  options: BookOptions,
  needs: BookNeeds,
): Promise<BookEntry> {
  const {receipts} = options;
  const {standingOf, hasEntry} = rulesOf(options, needs);
  if (needs.dates && listed.id.startsWith('bstm_')) await receipts.readFinalizedAt(listed);
  const isReceived = needs.payments === true && standingOf(listed).received !== 0;
  const receipt = isReceived ? await receipts.receiptOf(listed) : undefined;
  const facts = {replacement, ...(receipt && {receipt, payment: receipt.payment})};
  const standing = standingOf(listed, facts);
  if (!hasEntry(standing)) return {object: listed, standing};
  const object = needs.names ? await receipts.readStatement(listed) : listed;
  // The statement may have changed during the report.
  if (object.status !== listed.status) return readEntry(object, replacement, options, needs);
  if (!receipt || receipt.payment || receipt.at === undefined) return {object, standing};
  const {payment} = await receipts.receiptOf(listed, true);
  return {object, standing: standingOf(listed, {...facts, payment})};
}

const billedFrom = ({standing: {movements}}: BookEntry): number => movements[0]?.bookedAt ?? 0;

/** Returns false if the service refuses the list, which the API does not document. */
async function readSessions(client: Client, paging: AccountReadOptions, take: (session: BillingStatementData) => void) {
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
