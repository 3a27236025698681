// Returns the payment link of an open statement, and a message to the customer with the link.

import {isPayable} from '../../../accounting/standing.js';
import {statementCustomerOf, dueTimeOf, paymentLinkOf, statementName} from '../../../api/statement.js';
import type {BillingStatementData} from '../../../billing/statement/plan.js';
import {accountArgs, nextStep} from '../../../cli/next-steps.js';
import {readStanding, refusalIn} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {CentavoError} from '../../../common/errors.js';
import {isDay, longDay, toManila, manilaDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {oneLineText} from '../../../output/format.js';

export async function paymentLink(context: Context, statement: BillingStatementData): Promise<string> {
  const standing = await readStanding(context, statement);
  if (!isPayable(standing)) throw await refusalIn(context, 'link', standing, {code: 'not_open', applied: undefined});
  const link = paymentLinkOf(statement);
  if (link !== undefined) return link;
  throw new CentavoError('unavailable', `the API gives no payment link for ${statementName(statement)}.`, {
    code: 'no_link',
    next: [nextStep('see', statement.id, accountArgs(context))],
  });
}

export const LANGUAGES = ['en', 'fil'] as const;
export type Language = (typeof LANGUAGES)[number];

const ARAW = 'Linggo Lunes Martes Miyerkules Huwebes Biyernes Sabado'.split(' ');
const BUWAN = 'Enero Pebrero Marso Abril Mayo Hunyo Hulyo Agosto Setyembre Oktubre Nobyembre Disyembre'.split(' ');

/** `Martes, ika-15 ng Disyembre 2026`: the Manila day of an instant. @param at unix seconds */
function longDayInFilipino(at: number): string {
  const day = toManila(at);
  return `${ARAW[day.getUTCDay()]}, ika-${day.getUTCDate()} ng ${BUWAN[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** @param now unix seconds */
export function paymentMessage(statement: BillingStatementData, link: string, language: Language, now: number): string {
  const name = oneLineText(statementCustomerOf(statement).name ?? '');
  const number = statementName(statement);
  const amount = formatPesos(Number(statement.amount));
  const dueTime = dueTimeOf(statement);
  const due = isDay(dueTime) ? dueTime : undefined;
  const isLate = due !== undefined && manilaDay(due) < manilaDay(now);
  if (language === 'fil') {
    const when =
      due === undefined
        ? 'Maaari po kayong magbayad sa link na ito:'
        : isLate
          ? `Nakatakda po itong bayaran noong ${longDayInFilipino(due)}. Maaari pa rin po kayong magbayad sa link na ito:`
          : `Pakibayaran po hanggang ${longDayInFilipino(due)} sa link na ito:`;
    const hello = name === '' ? 'Magandang araw po!' : `Magandang araw po, ${name}!`;
    return `${hello} Narito po ang billing statement ninyo, ${number}, na nagkakahalaga ng ${amount}. ${when}\n${link}\nMaraming salamat po!\n`;
  }
  const when =
    due === undefined
      ? 'You can pay here:'
      : isLate
        ? `It was due on ${longDay(due)}. You can still pay here:`
        : `It is due on ${longDay(due)}. You can pay here:`;
  const hello = name === '' ? 'Hello!' : `Hello ${name}!`;
  return `${hello} Here is your billing statement ${number} for ${amount}. ${when}\n${link}\nThank you!\n`;
}
