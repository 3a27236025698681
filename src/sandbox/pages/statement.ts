// The page of a billing statement: takes the payment while open, then shows the outcome.

import {isFinal, type Standing} from '../../accounting/standing.js';
import type {ApiResponse} from '../../api/wire.js';
import {relativeDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {recordStanding} from '../record-standing.js';
import type {IntentRecord, StatementRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {endedPage, pageResponse, seeOther} from './layout.js';
import {statementPath} from './links.js';
import {html, type Html, shorten, untrusted} from '../../common/markup.js';
import {itemsTable, type PageFact} from '../../common/page-parts.js';
import {askForPayment, type PageRequest} from './payment-page.js';
import {type PageCustomer, payerOfPage, pageTime, merchantName, receiptView} from './summary.js';

export function statementPage(tx: Transaction, statement: StatementRecord, request: PageRequest): ApiResponse {
  const standing = recordStanding(tx, statement);
  if (isFinal(standing) || standing.state === 'draft') return endedStatementPage(tx, statement, standing, request);
  const {id, billing_statement_number: number, description} = statement;
  const path = statementPath(statement);
  const customer = payerOfPage(tx, statement.customer_id);
  // The default description repeats the number.
  const usual = description === `Payment for Billing Statement ${number}`;
  return askForPayment(
    tx,
    {
      id,
      path,
      done: path,
      intent: tx.peek(statement._payment_intent_id) as IntentRecord,
      name: `Statement ${shorten(number, 40)}`,
      merchant: merchantName(tx),
      description: usual ? null : description,
      facts: [...factsOf(statement, customer), ['Due', pageDueText(standing, tx.now)]],
      items: statementItems(tx, statement),
      verb: 'Pay',
      heading: 'Pay',
      payer: customer.name,
    },
    request,
  );
}

const factsOf = ({billing_statement_number: number}: StatementRecord, {name, email}: PageCustomer): PageFact[] => [
  ['Statement', untrusted(number, 60)],
  ['For', html`${untrusted(name)}${email ? html`<br /><span class="soft">${untrusted(email)}</span>` : ''}`],
];

const statementItems = (tx: Transaction, {id, amount}: StatementRecord): Html =>
  itemsTable(
    tx.store.children(id, 'billing_statement_line_item').map(({description, quantity, unit_price: price}) => ({
      name: untrusted(description),
      quantity: quantity as number,
      price: price as number,
    })),
    [['Total', amount]],
  );

function pageDueText({dueAt: due, daysOverdue = 0}: Standing, now: number): Html | undefined {
  if (due === undefined) return undefined;
  const late =
    daysOverdue > 0 &&
    html`<span class="late">Overdue: it was due ${relativeDay(due, now)}. You can still pay it.</span>`;
  return html`${pageTime(due)}${late || html` <span class="soft">(${relativeDay(due, now)})</span>`}`;
}

function endedStatementPage(
  tx: Transaction,
  statement: StatementRecord,
  {state, replacement}: Standing,
  {method}: PageRequest,
): ApiResponse {
  const merchant = merchantName(tx);
  const number = untrusted(statement.billing_statement_number, 60);
  switch (state) {
    case 'paid':
    case 'partly_refunded':
    case 'refunded': {
      if (method === 'POST') return seeOther(statementPath(statement));
      const intent = tx.peek(statement._payment_intent_id) as IntentRecord;
      const facts = factsOf(statement, payerOfPage(tx, statement.customer_id));
      return pageResponse({
        title: `Paid: statement ${shorten(statement.billing_statement_number, 40)}, ${formatPesos(statement.amount)}`,
        main: receiptView(tx, {merchant: untrusted(merchant), intent, facts, items: statementItems(tx, statement)}),
      });
    }
    case 'replaced':
      return endedPage({
        status: 410,
        heading: 'This statement was replaced',
        text: html`${untrusted(merchant)} replaced statement ${number} by ${untrusted(replacement!.name, 60)}. You do
        not need to pay this one.`,
        back: {href: statementPath(tx.peek(replacement!.id) as StatementRecord), label: 'See the new statement'},
      });
    case 'void':
      return endedPage({
        status: 410,
        heading: 'This statement was voided',
        text: html`${untrusted(merchant)} voided statement ${number}. You do not need to pay it.`,
      });
    case 'uncollectible':
      return endedPage({
        status: 410,
        heading: 'This statement is closed',
        text: html`${untrusted(merchant)} no longer accepts payment for statement ${number}. If you still want to pay,
        contact them.`,
      });
    default:
      return endedPage({
        status: 404,
        heading: 'This statement is not ready yet',
        text: html`${untrusted(merchant)} is still preparing it. You can pay once it is finalized.`,
      });
  }
}
