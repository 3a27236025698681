// `send` of a draft: needs confirmation at a terminal, or --finalize in a script.

import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {FIXED_NOW} from '../../support/screen.js';
import {ENTER} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
let customer: string;
beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  customer = (await merchant.customer({billing_statement_prefix: 'JUAN'})).id as string;
});
afterAll(() => merchant.close());

const draft = async () => {
  const {id} = await merchant.draft({customer_id: customer});
  const read = () => merchant.call('GET', `/billing_statements/${id}`);
  const {billing_statement_number: number} = await read();
  return {id: id as string, number: number as string, read};
};
const send = (...words: string[]) => run(['billing-statements', 'send', ...words]);
const sends = (id: string): Promise<number> =>
  run(['history', '--id', id, '--json']).then(
    (result) => result.json().data.filter(({result: end}: {result: string}) => end === 'ok').length,
  );

test('is refused without a terminal, and the suggested command finalizes and sends it once', async () => {
  const {id, number, read} = await draft();
  const refused = await send(number);
  expect(refused).toMatchObject({status: 5, stdout: ''});
  const hint = `centavo send ${number} --finalize`;
  expect(refused.stderr).toContain(`  To finalize and send it: ${hint}\n`);
  expect((await read()).status).toBe('draft');
  const dry = await send(number, '--finalize', '--dry-run', '-o', 'curl');
  expect(dry.stdout).toMatch(new RegExp(`/${id}/finalize [^]*/${id}/send `));
  expect((await read()).status).toBe('draft');
  const sent = await run([...hint.split(' ').slice(1), '--json']);
  expect(sent).toMatchObject({status: 0});
  expect(sent.json()).toEqual({
    ...(await run(['billing-statements', 'get', id, '--json'])).json(),
    mode: 'sandbox',
  });
  expect(await read()).toMatchObject({status: 'open', amount: 150_000});
  expect(await sends(id)).toBe(1);
  expect(await send(number, '--finalize', '--allow-duplicate', '--json')).toMatchObject({status: 0});
});

test('a draft without a due date is refused, with the command that sets one', async () => {
  const made = await run(['bill', '--customer', customer, '--item', 'Web design @ 1500', '--json']);
  const {id} = made.json();
  const hint = `To give it a due date: centavo edit ${id} --due +14d`;
  for (const words of [
    ['billing-statements', 'link', id],
    ['sandbox', 'pay', id],
    ['billing-statements', 'finalize', id],
  ])
    expect((await run([...words, '--json'])).error(), words.join(' ')).toMatchObject({exit_code: 5, hint});
  for (const words of [
    ['billing-statements', 'send', id, '--finalize'],
    ['billing-statements', 'send', id, '--finalize'],
    ['bill', '--continue', id, '--send'],
    ['bill', '--continue', id, '--send'],
  ]) {
    const {status, error} = await run([...words, '--json']);
    expect([status, error().applied, error().hint]).toEqual([5, 'no', hint]);
    expect(error().api_errors).toMatchObject([{detail: 'The value for due_at cannot be blank.'}]);
    expect(error().message).toMatch(/The draft \S+ has 1 of 1 item\. This run did not finalize or send it\.$/);
  }
  await run(hint.split(' ').slice(7));
  expect(await run(['billing-statements', 'send', id, '--finalize'])).toMatchObject({status: 0});
});

test('respects limits, and does not finalize several', async () => {
  const {number, read} = await draft();
  expect(await run(['config', 'set', 'max_amount', '1000'])).toMatchObject({status: 0});
  expect(await send(number, '--finalize')).toMatchObject({
    status: 12,
    stderr: expect.stringContaining('comes to ₱1,500.00; the limit is ₱1,000.00'),
  });
  expect(await run(['config', 'unset', 'max_amount', '--yes'])).toMatchObject({status: 0});
  expect(await send(number, (await draft()).number, '--finalize')).toMatchObject({status: 2, stdout: ''});
  expect(await run(['billing-statements', 'send', '-', '--finalize'], {input: number})).toMatchObject({status: 2});
  expect((await read()).status).toBe('draft');
});

test('rejects a response with items without a price', async () => {
  const {url, close} = await service({bstm_7Hq2: {line_items: [{id: 'bstm_li_1', unit_price: null}]}});
  onTestFinished(close);
  const env = {CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_BASE_URL: url};
  for (const verb of [
    ['send', '--finalize'],
    ['duplicate', '--due', '+30d'],
  ]) {
    const [name, ...flags] = verb;
    const {status, error} = await run(['billing-statements', name!, 'bstm_7Hq2', ...flags, '--dry-run', '--json'], {
      env,
    });
    expect([status, error().code]).toEqual([8, 'unusable_answer']);
  }
});

test('shows the draft and asks at a terminal; only yes finalizes and sends', async () => {
  const {id, number, read} = await draft();
  for (const [answer, status, state] of [
    ['n', 12, 'draft'],
    ['y', 0, 'open'],
  ] as const) {
    const desk = screenInProcess(directory, ['billing-statements', 'send', number]);
    await desk.until(/\(y\/N\)/);
    const text = await desk.text();
    for (const words of ['Web design', 'Total', `finalize and send billing statement ${number} of ₱1,500.00`])
      expect(text).toContain(words);
    desk.type(`${answer}${ENTER}`);
    expect(await desk.ended).toBe(status);
    expect((await read()).status).toBe(state);
    expect(await sends(id)).toBe(status === 0 ? 1 : 0);
  }
  const open = screenInProcess(directory, ['billing-statements', 'send', number, '--allow-duplicate']);
  expect(await open.ended).toBe(0);
  expect(await open.text()).toContain(`✓ Sent ${number} to Juan Dela Cruz`);
});
