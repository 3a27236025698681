// Asks for a statement step by step: who, what for, until when, a preview with the total, and how far to go.

import type {Context} from '../../context.js';
import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../api/fields.js';
import {CentavoError} from '../../errors.js';
import {parseDate} from '../../input/dates.js';
import {parseItem, totalOf, type ItemInput} from '../../input/items.js';
import {clean, formatTime} from '../../output/format.js';
import {formatPesos} from '../../pesos.js';
import {renderTable} from '../../output/table.js';
import type {WantedStatement} from './run.js';
import {readEmail} from '../flags.js';
import {problemOf} from '../params.js';

type Payer = {readonly id: string; readonly name: string} | {readonly name: string; readonly email: string};

/** How many customers are offered at once. */
const RECENT = 20;

/** @throws CentavoError kind `refused` when it is called off; nothing was sent */
export async function guideStatement(context: Context): Promise<WantedStatement> {
  const {prompt} = context;
  const payer = await askPayer(context);
  const items = await askItems(context);
  const due = await prompt.text('Due (2026-12-15 or +14d):', {
    initial: '+14d',
    validate: (text) => problemOf(() => parseDate(text, 'due', context.now())),
  });
  const dueAt = parseDate(due, 'due', context.now());
  const total = totalOf(items);
  await preview(context, payer, items, dueAt, total);
  const goal = await prompt.select('What shall be done?', [
    {name: 'Finalize and send it', value: 'send'},
    {name: 'Finalize it, and send the link myself', value: 'finalize'},
    {name: 'Keep it as a draft', value: 'draft'},
    {name: 'Nothing', value: 'nothing'},
  ]);
  if (goal === 'nothing') throw new CentavoError('refused', 'called off.', {applied: 'no'});
  return {
    create: {currency: 'PHP', customer_id: 'id' in payer ? payer.id : ''},
    ...(!('id' in payer) && {newCustomer: payer}),
    customerName: payer.name,
    items: items.map(({text, quantity, unitPrice}) => ({description: text, quantity, unit_price: unitPrice})),
    dueAt,
    finalize: goal !== 'draft',
    send: goal === 'send',
    total,
  };
}

async function askPayer(context: Context): Promise<Payer> {
  const {prompt} = context;
  const client = await context.client();
  const {data} = await client.customers.list({limit: RECENT}, {signal: context.signal});
  type Answer = Payer | 'email' | 'new';
  const answer = await prompt.select<Answer>('Who pays?', [
    ...data.map(({id, name, email}) => ({name: `${name} <${email}>`, value: {id, name}})),
    ...(data.length === RECENT ? [{name: 'Somebody else, by e-mail address', value: 'email' as const}] : []),
    {name: 'A new customer', value: 'new' as const},
  ]);
  if (typeof answer === 'object') return answer;
  if (answer === 'email') {
    const address = await prompt.text('E-mail address:', {
      validate: (text) => problemOf(() => readEmail(text, '--email')),
    });
    const {customerByEmail} = await context.billing();
    return customerByEmail(client, address.trim(), {signal: context.signal});
  }
  const name = await prompt.text('Name:', {validate: (text) => (text.trim() ? undefined : 'A name is needed.')});
  const email = await prompt.text('E-mail address:', {validate: (text) => problemOf(() => readEmail(text, '--email'))});
  return {name: name.trim(), email: email.trim()};
}

async function askItems(context: Context): Promise<ItemInput[]> {
  const items: ItemInput[] = [];
  for (;;) {
    const soFar = items.length > 0 ? totalOf(items) : 0;
    const message =
      items.length === 0
        ? 'Item (Web design x2 @ 15,000):'
        : `Another item (so far ${formatPesos(soFar)}; empty when done):`;
    const text = await context.prompt.text(message, {
      validate: (answer) => {
        if (answer.trim() === '' && items.length > 0)
          return soFar < MINIMUM_CENTAVOS
            ? `A statement collects ${formatPesos(MINIMUM_CENTAVOS)} at least.`
            : undefined;
        return problemOf(() => parseItem(answer, 'the item')) ?? tooMuch([...items, parseItem(answer, 'the item')]);
      },
    });
    if (text.trim() === '') return items;
    items.push(parseItem(text, 'the item'));
  }
}

const tooMuch = (items: readonly ItemInput[]): string | undefined =>
  totalOf(items) > MAXIMUM_CENTAVOS ? `A statement collects ${formatPesos(MAXIMUM_CENTAVOS)} at most.` : undefined;

async function preview(
  {io}: Context,
  payer: Payer,
  items: readonly ItemInput[],
  dueAt: number,
  total: number,
): Promise<void> {
  const columns = [
    {header: 'ITEM', align: 'left' as const, wraps: true},
    {header: 'QUANTITY', align: 'right' as const, wraps: false},
    {header: 'PRICE', align: 'right' as const, wraps: false},
    {header: 'TOTAL', align: 'right' as const, wraps: false},
  ];
  const rows = items.map((item) =>
    [item.text, String(item.quantity), formatPesos(item.unitPrice), formatPesos(totalOf([item]))].map((text) => ({
      text: clean(text),
    })),
  );
  const table = await renderTable(
    columns,
    [...rows, [{text: ''}, {text: ''}, {text: 'Total'}, {text: formatPesos(total)}]],
    io,
  );
  const email = 'email' in payer ? ` <${payer.email}>, a new customer` : '';
  for (const line of [
    '',
    `To   ${payer.name}${email}`,
    `Due  ${formatTime(dueAt)} in Manila`,
    '',
    ...(table ?? '').trimEnd().split('\n'),
    '',
  ])
    io.note(line);
}
