// Reads the payments of billing statements: time, method, and the amount that can still be refunded.

import {paymentIdIn} from '../../accounting/standing.js';
import {
  methodOf,
  statementNumberOf,
  paymentOf,
  statementText,
  unixTimeOf,
  type StatementLike,
} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {isJsonObject} from '../../common/json.js';
import {getStatement} from '../account/account-reader.js';
import type {BillingStatementData} from '../statement/plan.js';
import type {CachedStatement, statementCache} from '../account/lookup-cache.js';

export type StatementPayment = Awaited<ReturnType<Client['payments']['get']>>;

export async function paymentOfStatement(
  client: Client,
  statement: StatementLike,
  {signal}: {readonly signal?: AbortSignal},
  onRequest?: () => void,
): Promise<StatementPayment | undefined> {
  const {payment_intent: intent} = statement;
  const intentId = isJsonObject(intent) ? intent.id : intent;
  let id = paymentIdIn(statement);
  if (id === undefined && typeof intentId === 'string') {
    onRequest?.();
    id = paymentIdIn(await client.paymentIntents.get(intentId, {}, {signal}));
  }
  if (id === undefined) return undefined;
  onRequest?.();
  return client.payments.get(id, {signal});
}

/** The id, time and method of a payment. Each is undefined if the service does not give it. */
export interface PaymentReceipt extends Pick<CachedStatement, 'at' | 'id' | 'method'> {
  /** The current payment with its refunds; omitted if it was not read again. */
  readonly payment?: StatementPayment;
}

const receiptOf = (payment: StatementLike): PaymentReceipt => {
  const {id, created_at: at} = payment;
  return {
    at: unixTimeOf(at),
    method: methodOf(payment),
    id: statementText(id),
    payment: payment as unknown as StatementPayment,
  };
};

/** The payment in the statement itself, if it includes the date. */
export function receiptInStatement(statement: StatementLike): PaymentReceipt | undefined {
  const payment = paymentOf(statement);
  const receipt = payment && receiptOf(payment);
  return receipt?.at === undefined ? undefined : receipt;
}

const hasReceiptFields = (statement: BillingStatementData): boolean =>
  statementNumberOf(statement) !== undefined &&
  statement.finalized_at !== undefined &&
  statement.payment_intent !== undefined;

const CONCURRENCY = 4;

/** Processes up to {@link CONCURRENCY} items at a time. Returns results in the order of the items. */
export async function mapWithLimit<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
  onDone?: (count: number) => void,
): Promise<Done[]> {
  const done: Done[] = [];
  for (let at = 0; at < items.length; at += CONCURRENCY) {
    done.push(...(await Promise.all(items.slice(at, at + CONCURRENCY).map(work))));
    onDone?.(done.length);
  }
  return done;
}

export interface ReceiptReaderOptions {
  readonly signal?: AbortSignal;
  readonly known?: ReturnType<typeof statementCache>;
}

/**
 * Reads statement details that lists omit: the time of finalizing, and the time and method of payment. No list contains
 * payments, so each payment takes a request. Values that do not change are cached.
 */
export class ReceiptReader {
  requests = 0;
  readonly #client: Client;
  readonly #options: ReceiptReaderOptions;
  readonly #read = new Map<string, Promise<BillingStatementData>>();
  readonly #found = new Map<string, CachedStatement>();

  constructor(client: Client, options: ReceiptReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the complete statement; reads the statement by id if the list omitted fields. A session has no more fields. */
  readStatement(listed: BillingStatementData): Promise<BillingStatementData> {
    if (!listed.id.startsWith('bstm_') || hasReceiptFields(listed)) return Promise.resolve(listed);
    const known = this.#read.get(listed.id);
    if (known) return known;
    this.requests++;
    const read = getStatement(this.#client, listed.id, this.#options);
    this.#read.set(listed.id, read);
    return read;
  }

  /** Reads the time of finalizing, if the list omits it. */
  async readFinalizedAt(listed: BillingStatementData): Promise<void> {
    if (listed.finalized_at !== undefined || this.known(listed.id).finalizedAt !== undefined) return;
    const {finalized_at: at} = await this.readStatement(listed);
    this.#remember(listed.id, {finalizedAt: unixTimeOf(at)});
  }

  /** The receipt of a paid statement; empty if the service names no payment. @param isFresh reads the payment itself again */
  async receiptOf(listed: BillingStatementData, isFresh = false): Promise<PaymentReceipt> {
    const included = receiptInStatement(listed);
    if (included) return included;
    const {finalizedAt: _, ...known} = this.known(listed.id);
    if (known.at !== undefined && !isFresh) return known;
    const statement = listed.payment_intent === undefined ? await this.readStatement(listed) : listed;
    const receipt = receiptInStatement(statement) ?? (await this.#payment(statement));
    this.#remember(listed.id, {at: receipt.at, method: receipt.method, id: receipt.id});
    return receipt;
  }

  async #payment(statement: BillingStatementData): Promise<PaymentReceipt> {
    const payment = await paymentOfStatement(this.#client, statement, this.#options, () => this.requests++);
    return payment ? receiptOf(payment) : {};
  }

  save(): void {
    if (this.#found.size > 0) this.#options.known?.update(this.#found);
  }

  /** Details read before; empty if unknown. */
  known(id: string): CachedStatement {
    return this.#found.get(id) ?? this.#options.known?.get(id) ?? {};
  }

  #remember(id: string, values: CachedStatement): void {
    this.#found.set(id, {...this.known(id), ...values});
  }
}
