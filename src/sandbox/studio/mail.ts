// The mail that a customer gets with a statement, derived from the event that it was sent.

import {longDay} from '../../ground/manila.js';
import {formatPesos} from '../../ground/pesos.js';
import {webAddress} from '../pages/layout.js';
import {html} from '../pages/markup.js';
import {factList, merchantName} from '../pages/summary.js';
import type {StatementRecord} from '../record-types.js';
import type {Stored} from '../store.js';
import {link, older, type Place, right, small, table, type View, wide} from './parts.js';
import {eventsOf} from './reads.js';
import {dotted, foreign, timeOf, whole} from './words.js';

const SENT = 'billing_statement.sent';

type Sent = StatementRecord & {
  readonly billing_statement_url: string;
  readonly due_at: number;
  readonly customer: Stored | null;
  readonly line_items: readonly {
    readonly description: string;
    readonly quantity: number;
    readonly unit_price: number;
  }[];
};

const sentOf = ({data}: Stored): Sent => data as Sent;

export function mailList({tx, base, before}: Place): View {
  const {records, next} = eventsOf(tx.store, SENT, before);
  const rows = records.map((event) => {
    const {billing_statement_number: number, customer, amount} = sentOf(event);
    return [
      link(`${base}/mail/${event.id}`, whole(number)),
      html`${foreign(customer?.name, 40)}${small(dotted(customer?.email, 60))}`,
      timeOf(event.created_at, tx.now),
      formatPesos(amount),
    ];
  });
  const titles = ['Statement', 'To', wide('Time'), right('Amount')];
  return {
    title: 'Mail',
    section: 'mail',
    main: html`<h1 class="title">Mail</h1>
      ${table(titles, rows, 'None. A statement is mailed when it is sent.')}${older(`${base}/mail`, {}, next)}`,
  };
}

export function mailPage({tx, base, acts}: Place, id: string): View | undefined {
  const event = tx.store.find('event', id)?.record;
  if (event?.type !== SENT) return undefined;
  const {id: statement, amount, due_at: due, customer, line_items: items, ...sent} = sentOf(event);
  const [merchant, name, number] = [merchantName(tx), customer?.name, sent.billing_statement_number].map((each) =>
    foreign(each, 60),
  );
  // The address of the link may be that of a server that has ended.
  const address = acts && webAddress(sent.billing_statement_url);
  const pay = `Pay ${formatPesos(amount)}`;
  const rows = items.map(({description, quantity, unit_price: price}) => [
    foreign(description),
    `${quantity} × ${formatPesos(price)}`,
    formatPesos(quantity * price),
  ]);
  return {
    title: `Mail: ${sent.billing_statement_number}`,
    section: 'mail',
    main: html`<h1 class="title">Billing statement ${number}</h1>
      ${factList([
        ['From', merchant],
        ['To', html`${name} &lt;${foreign(customer?.email)}&gt;`],
        ['Time', timeOf(event.created_at, tx.now)],
        ['Cause', link(`${base}/${event.id}`, SENT)],
        ['Statement', link(`${base}/${statement}`, number)],
      ])}
      <div class="letter">
        <p class="soft">${merchant}</p>
        <h2>${formatPesos(amount)}${due > 0 && ` due ${longDay(due)}`}</h2>
        <p>Hi ${name}, this is billing statement ${number}.</p>
        <p>
          ${address ? html`<a class="pay" href="${new URL(address).pathname}">${pay}</a>` : html`<span class="pay">${pay}</span>`}
        </p>
        ${table(['Item', {title: 'Price', numeric: true, wide: true}, right('Amount')], rows)}
      </div>
      <p class="soft">
        How the service lays it out is assumed. The recipient, amount, date, items and link are those of the statement.
      </p>`,
  };
}
