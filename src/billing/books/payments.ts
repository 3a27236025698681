// The payments of billing statements: when and how each was paid, and what of it can still be refunded.

import {billedAt, methodOf, numberOf, paymentOf, textOf, timeOf, type StatementLike} from '../../api/statement.js';
import type {OwnRefund} from '../../audit/queries.js';
import type {Client} from '../../client/client.js';
import {isHash} from '../../ground/json.js';
import {getStatement} from '../account.js';
import type {Statement} from '../compose/plan.js';
import type {KnownOfStatement, knownOfStatements} from '../known.js';

export type Payment = Awaited<ReturnType<Client['payments']['get']>>;

/** The id of the payment that a payment intent names: as an id, or as an object. */
const latestOf = (intent: unknown): string | undefined => {
  const latest = isHash(intent) ? intent.latest_payment : undefined;
  const id = isHash(latest) ? latest.id : latest;
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** Reads the payment that settled a statement, if it has one. */
export async function paymentOfStatement(
  client: Client,
  statement: StatementLike,
  {signal}: {readonly signal?: AbortSignal},
  onRequest?: () => void,
): Promise<Payment | undefined> {
  const {payment_intent: intent} = statement;
  const intentId = isHash(intent) ? intent.id : intent;
  let id = latestOf(intent);
  if (id === undefined && typeof intentId === 'string') {
    onRequest?.();
    id = latestOf(await client.paymentIntents.get(intentId, {}, {signal}));
  }
  if (id === undefined) return undefined;
  onRequest?.();
  return client.payments.get(id, {signal});
}

/** How a paid statement was paid, as far as the service says. */
export interface Receipt extends Pick<KnownOfStatement, 'at' | 'id' | 'method'> {
  /** As it is now, with what was refunded of it; left out where it was not read again. */
  readonly payment?: Payment;
}

const receiptOf = (payment: StatementLike): Receipt => {
  const {id, created_at: at} = payment;
  return {at: timeOf(at), method: methodOf(payment), id: textOf(id), payment: payment as unknown as Payment};
};

/** What the statement itself says of its payment, if that includes the date. */
export function saidReceipt(statement: StatementLike): Receipt | undefined {
  const payment = paymentOf(statement);
  const receipt = payment && receiptOf(payment);
  return receipt?.at === undefined ? undefined : receipt;
}

/** How many are read at the same time. */
const FEW = 4;

/** Works on a few at a time. The results are in the order of the items. */
export async function fewAtATime<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
  onDone?: (count: number) => void,
): Promise<Done[]> {
  const done: Done[] = [];
  for (let at = 0; at < items.length; at += FEW) {
    done.push(...(await Promise.all(items.slice(at, at + FEW).map(work))));
    onDone?.(done.length);
  }
  return done;
}

export interface ReceiptOptions {
  readonly signal?: AbortSignal;
  /** What earlier commands learnt. */
  readonly known?: ReturnType<typeof knownOfStatements>;
}

/**
 * Reads of statements what their list leaves out: when they were finalized, when and how they were paid. No list of the
 * service has payments, so that each takes a request; what does not change is remembered.
 */
export class Receipts {
  /** How many requests were made. */
  requests = 0;
  readonly #client: Client;
  readonly #options: ReceiptOptions;
  readonly #read = new Map<string, Promise<Statement>>();
  readonly #learnt = new Map<string, KnownOfStatement>();

  constructor(client: Client, options: ReceiptOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** A statement as a read by its id has it, if the list left a part of it out. */
  whole(listed: Statement): Promise<Statement> {
    if (numberOf(listed) !== undefined && listed.finalized_at !== undefined && listed.payment_intent !== undefined)
      return Promise.resolve(listed);
    const known = this.#read.get(listed.id);
    if (known) return known;
    this.requests++;
    const read = getStatement(this.#client, listed.id, this.#options);
    this.#read.set(listed.id, read);
    return read;
  }

  /** When a statement that is no draft was finalized, or created where the service does not say it, in unix seconds. */
  async finalizedAt(listed: Statement): Promise<number | undefined> {
    if (listed.finalized_at !== undefined) return billedAt(listed);
    const {finalizedAt} = this.#known(listed.id);
    if (finalizedAt !== undefined) return finalizedAt;
    const statement = await this.whole(listed);
    this.#learn(listed.id, {finalizedAt: timeOf(statement.finalized_at)});
    return billedAt(statement);
  }

  /** Of a paid statement; empty if the service names no payment. @param isFresh whether the payment itself is wanted */
  async of(listed: Statement, isFresh = false): Promise<Receipt> {
    const said = saidReceipt(listed);
    if (said) return said;
    const {finalizedAt: _, ...known} = this.#known(listed.id);
    if (known.at !== undefined && !isFresh) return known;
    const statement = listed.payment_intent === undefined ? await this.whole(listed) : listed;
    const receipt = saidReceipt(statement) ?? (await this.#payment(statement));
    this.#learn(listed.id, {at: receipt.at, method: receipt.method, id: receipt.id});
    return receipt;
  }

  async #payment(statement: Statement): Promise<Receipt> {
    const payment = await paymentOfStatement(this.#client, statement, this.#options, () => this.requests++);
    return payment ? receiptOf(payment) : {};
  }

  /** Remembers what was read. */
  keep(): void {
    if (this.#learnt.size > 0) this.#options.known?.learn(this.#learnt);
  }

  #known(id: string): KnownOfStatement {
    return this.#learnt.get(id) ?? this.#options.known?.of(id) ?? {};
  }

  #learn(id: string, learnt: KnownOfStatement): void {
    this.#learnt.set(id, {...this.#known(id), ...learnt});
  }
}

export interface Refundable {
  /** Centavos that can be refunded at most: refunds that wait elsewhere cannot be seen. */
  readonly most: number;
  /** Centavos of refunds from this machine that the payment does not show yet. */
  readonly waiting: number;
}

export function refundable({amount, amount_refunded: refunded}: Payment, own: readonly OwnRefund[]): Refundable {
  const seen = refunded ?? 0;
  const waiting = Math.max(0, own.reduce((sum, each) => sum + each.amount, 0) - seen);
  return {most: Math.max(0, amount - seen - waiting), waiting};
}
