// The printed page of a billing statement: one HTML file for A4 and phones, without scripts or parts from elsewhere.

import {isPayable, isReceived, type MoneyState, type Standing} from '../../../accounting/standing.js';
import {settledAt} from '../../../accounting/words.js';
import {
  centavosOf,
  paymentLinkOf,
  statementCustomerOf,
  statementNumberOf,
  statementText,
  type StatementLike,
} from '../../../api/statement.js';
import {customDescription, metadataPairs, paidWithText} from '../../../cli/presentation/statement-view.js';
import {MAX_LINK} from '../../../common/bounded-text.js';
import {isJsonObject} from '../../../common/json.js';
import {isDay, longDay, timeOfDay} from '../../../common/manila.js';
import {html, type Html, trusted, untrusted} from '../../../common/markup.js';
import {factList, itemsTable} from '../../../common/page-parts.js';
import {formatPesos} from '../../../common/pesos.js';
import {formatValue, oneLineText} from '../../../output/format.js';
import {qrImage} from '../../../output/qr-code.js';

export interface PageContent {
  readonly statement: StatementLike & {readonly id: string};
  readonly standing: Standing;
  /** Unix seconds. */
  readonly now: number;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** The merchant's name; by default, the one that the service puts on the statement. */
  readonly from?: string;
  readonly withMetadata?: boolean;
}

/** Sentences for the customer about the state of the money, and the next step. */
const WORDS: Readonly<Partial<Record<MoneyState, (standing: Standing) => string>>> = {
  draft: () => 'Draft: not final, and not to be paid yet.',
  refunded: () => 'Paid, then refunded in full.',
  partly_refunded: ({refunded}) => `Paid, then ${formatPesos(refunded!)} refunded.`,
  paid: () => 'Paid.',
  settled: () => 'Paid.',
  replaced: ({replacement}) => `Replaced by ${replacement!.name}. Please do not pay this one.`,
  void: () => 'Void: it can no longer be paid.',
  uncollectible: () => 'Marked uncollectible: it can no longer be paid.',
  held: ({held}) => `Not collected yet: ${held === null ? 'the amount' : formatPesos(held)} is held on a card.`,
  processing: () => 'The payment is being processed.',
  overdue: ({dueAt}) => `Overdue: it was due on ${longDay(dueAt!)}.`,
  approving: open,
  open,
};

function open({dueAt}: Standing): string {
  return dueAt === undefined ? 'Not paid yet.' : `Please pay by ${longDay(dueAt)}.`;
}

/** BIR RR 7-2024, sections 2 and 8: a document that is not an invoice is supplementary, and says the second sentence. */
const NOTICE = 'This is not a BIR invoice or official receipt. This document is not valid for claim of input tax.';

/** Maximum characters of a text on the page. */
const MAX_WORDS = 2000;
/** Text from the account, without control characters and marks of direction. */
const words = (text: string): Html => untrusted(text.split(/\r?\n/).map(oneLineText).join('\n'), MAX_WORDS);
const day = (at: unknown): string | undefined => (isDay(at) ? longDay(at) : undefined);

/** Returns the title, `Payment confirmation JEEPNEY-0002`, and the page. */
export async function printedPage(content: PageContent): Promise<{readonly title: string; readonly page: string}> {
  const {statement, standing, now, mode} = content;
  const from = content.from ?? statementText(statement.billing_statement_merchant_name);
  const heading = isReceived(standing) ? 'Payment confirmation' : 'Billing statement';
  const number = statementNumberOf(statement);
  const title = oneLineText(`${heading} ${number ?? (standing.state === 'draft' ? 'draft' : statement.id)}`);
  const link = payableLink(statement, standing);
  const isReal = mode === 'live' && statement.livemode !== false;
  const state = WORDS[standing.state]?.(standing) ?? `Status: ${formatValue(statement.status, 'text')}.`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src ${await styleHash()}; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${trusted(`<style>${CSS}</style>`)}
      </head>
      <body>
        ${!isReal && html`<header>${mode === 'sandbox' ? 'Sandbox' : 'Test mode'}: no money moved</header>`}
        <main>
          ${from && html`<p class="from">${words(from)}</p>`}
          <h1>${heading} ${number && html`<span>${words(number)}</span>`}</h1>
          <p class="state">${words(state)}</p>
          ${facts(content)} ${items(content)} ${link && (await payHere(link))}
          <p class="notice">${NOTICE}</p>
          <p class="notice">As of ${longDay(now)}, ${timeOfDay(now * 1000).slice(0, 5)} in Manila.</p>
        </main>
      </body>
    </html> `;
  return {title, page: page.text};
}

function facts({statement, standing, withMetadata}: PageContent): Html {
  const {name, email} = statementCustomerOf(statement);
  const {settlement, state, paidAt, paymentId} = standing;
  const isSettled = state === 'settled';
  const found: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Billed to', [name, email].filter(Boolean).join('\n')],
    ['Date', day(statement.finalized_at)],
    ['Due', day(standing.dueAt)],
    ['Paid on', day(isSettled ? settledAt(standing) : paidAt)],
    ['Paid with', isSettled ? settlement?.reason : paidWithText(statement, standing)],
    ['Recorded', isSettled ? undefined : settlement?.reason],
    ['Payment id', paymentId],
    ['For', customDescription(statement)],
    ...(withMetadata ? metadataPairs(statement) : []),
  ];
  return factList(found.map(([label, value]) => [words(label), value ? words(value) : undefined]));
}

function items({statement, standing}: PageContent): Html {
  const {billed, received, settled, refunded, balance} = standing;
  const sums: readonly (readonly [label: string, centavos: number | null | undefined])[] = [
    ['Total', centavosOf(statement.amount) ?? billed],
    ['Paid', isReceived(standing) ? received || settled : null],
    ['Refunded', refunded],
    ['To pay', isPayable(standing) ? balance : null],
  ];
  const lines = Array.isArray(statement.line_items) ? statement.line_items.filter(isJsonObject) : [];
  return itemsTable(
    lines.map(({description, id, quantity, unit_price: price, amount}) => ({
      name: words(formatValue(description ?? id, 'text')),
      quantity: centavosOf(quantity),
      price: centavosOf(price ?? amount),
    })),
    sums.flatMap(([label, centavos]) => (centavos ? [[label, centavos] as const] : [])),
  );
}

const payHere = async (link: string): Promise<Html> =>
  html`<section>
    ${await qrImage(link, 'QR code of the payment link')}
    <div>
      <h2>Pay online</h2>
      <p>Scan the code, or open this link:</p>
      <p><a href="${link}">${words(link)}</a></p>
    </div>
  </section>`;

/** The link of a statement that can be paid now, if a browser can open it and a QR code can hold it. */
export function payableLink(statement: StatementLike, standing: Standing): string | undefined {
  const link = isPayable(standing) ? paymentLinkOf(statement) : undefined;
  return link !== undefined && /^https?:\/\//i.test(link) && link.length <= MAX_LINK ? link : undefined;
}

const CSS = `
@page { size: A4; margin: 16mm 18mm; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: #fff; color: #1c1f1e; overflow-wrap: anywhere;
  font: 1rem/1.5 "Avenir Next", Avenir, "Segoe UI", "Noto Sans", system-ui, sans-serif;
  font-variant-numeric: tabular-nums lining-nums;
}
h1, h2, p, dl, dd { margin: 0; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem; }
header { background: #f3e3b3; color: #4a3a06; text-align: center; padding: .375rem 1rem; print-color-adjust: exact; }
.from { font-size: 1.125rem; font-weight: 600; margin-bottom: 1.5rem; }
h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 600; }
h1 span { display: block; font-size: 1.125rem; font-weight: 500; color: #5a605d; padding-top: .25rem; }
h2 { font-size: 1rem; }
.state { margin-top: 1rem; padding-left: .75rem; border-left: 4px solid #0b6b5d; font-weight: 600; }
.facts { display: grid; grid-template-columns: minmax(5.5rem, auto) minmax(0, 1fr); gap: .375rem 1.5rem; margin: 1.5rem 0 1.75rem; }
dt, small { color: #5a605d; }
dt { max-width: 12rem; }
dd { white-space: pre-line; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
table { width: 100%; border-collapse: collapse; }
tr, tfoot { break-inside: avoid; }
th, td { padding: .625rem 0; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid #dfddd5; }
td { text-align: right; white-space: nowrap; padding-left: 1.5rem; }
small { display: block; font-size: .875rem; }
/* A footer would stand on every sheet. */
tfoot { display: table-row-group; }
tfoot th, tfoot td { padding: .25rem 0; border: 0; }
tfoot tr:first-child > * { border-top: 1px solid #dfddd5; padding-top: .75rem; }
tfoot tr:first-child > *, tfoot tr:last-child > * { font-weight: 600; }
section { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: center; margin-top: 1.5rem; break-inside: avoid; }
section > div:last-child { flex: 1 1 14rem; min-width: 0; }
.qr { width: 10rem; margin-left: -.75rem; }
.qr svg { display: block; }
a { color: #0b6b5d; }
.notice { color: #5a605d; font-size: .8125rem; margin-top: 1.5rem; break-inside: avoid; }
.notice + .notice { margin-top: .25rem; }
@media print { main { max-width: none; padding: 0; } header { margin-bottom: 1.5rem; } }
`;

const styleHash = async (): Promise<string> =>
  `'sha256-${Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(CSS))).toString('base64')}'`;
