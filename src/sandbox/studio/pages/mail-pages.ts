// Pages of the mail that customers receive, derived from `billing_statement.sent` events.

import {longDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {webAddress} from '../../pages/layout.js';
import {html} from '../../../common/markup.js';
import {factList} from '../../../common/page-parts.js';
import {merchantName} from '../../pages/summary.js';
import type {StatementRecord} from '../../record-types.js';
import type {StoredRecord} from '../../store.js';
import * as ui from '../components.js';
import type {StudioContext, StudioView} from '../context.js';
import {eventsOf} from '../queries.js';
import {breakableText, foreignText, studioTime, unbrokenText} from '../format.js';

const SENT_MAIL = 'billing_statement.sent';

type SentMail = StatementRecord & {
  readonly billing_statement_url: string;
  readonly due_at: number;
  readonly customer: StoredRecord | null;
  readonly line_items: readonly {
    readonly description: string;
    readonly quantity: number;
    readonly unit_price: number;
  }[];
};

const sentOf = ({data}: StoredRecord): SentMail => data as SentMail;

export function mailList({tx, base, before}: StudioContext): StudioView {
  const {records, next} = eventsOf(tx.store, SENT_MAIL, before);
  const rows = records.map((event) => {
    const {billing_statement_number: number, customer, amount} = sentOf(event);
    return [
      ui.link(`${base}/mail/${event.id}`, unbrokenText(number)),
      html`${foreignText(customer?.name, 40)}${ui.small(breakableText(customer?.email, 60))}`,
      studioTime(event.created_at, tx.now),
      formatPesos(amount),
    ];
  });
  const titles = ['Statement', 'To', ui.wide('Time'), ui.right('Amount')];
  return {
    title: 'Mail',
    section: 'mail',
    main: html`<h1 class="title">Mail</h1>
      ${ui.table(titles, rows, 'None. A statement is mailed when it is sent.')}${ui.olderLink(`${base}/mail`, {}, next)}`,
  };
}

export function mailPage({tx, base, hasButtons}: StudioContext, id: string): StudioView | undefined {
  const event = tx.store.find('event', id)?.record;
  if (event?.type !== SENT_MAIL) return undefined;
  const {id: statement, amount, due_at: due, customer, line_items: items, ...sent} = sentOf(event);
  const [merchant, name, number] = [merchantName(tx), customer?.name, sent.billing_statement_number].map((each) =>
    foreignText(each, 60),
  );
  // The link may point to a server that has ended.
  const address = hasButtons && webAddress(sent.billing_statement_url);
  const pay = `Pay ${formatPesos(amount)}`;
  const rows = items.map(({description, quantity, unit_price: price}) => [
    foreignText(description),
    `${quantity} × ${formatPesos(price)}`,
    formatPesos(quantity * price),
  ]);
  return {
    title: `Mail: ${sent.billing_statement_number}`,
    section: 'mail',
    main: html`<h1 class="title">Billing statement ${number}</h1>
      ${factList([
        ['From', merchant],
        ['To', html`${name} &lt;${foreignText(customer?.email)}&gt;`],
        ['Time', studioTime(event.created_at, tx.now)],
        ['Cause', ui.link(`${base}/${event.id}`, SENT_MAIL)],
        ['Statement', ui.link(`${base}/${statement}`, number)],
      ])}
      <div class="letter">
        <p class="soft">${merchant}</p>
        <h2>${formatPesos(amount)}${due > 0 && ` due ${longDay(due)}`}</h2>
        <p>Hi ${name}, this is billing statement ${number}.</p>
        <p>
          ${address ? html`<a class="pay" href="${new URL(address).pathname}">${pay}</a>` : html`<span class="pay">${pay}</span>`}
        </p>
        ${ui.table(['Item', {title: 'Price', numeric: true, wide: true}, ui.right('Amount')], rows)}
      </div>
      <p class="soft">The layout is assumed. The recipient, amount, date, items and link come from the statement.</p>`,
  };
}
