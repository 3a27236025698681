// Screens of the guided flow at three widths, and failures of the API, the network and the terminal.

import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {type InProcessOptions, screenInProcess} from '../support/in-process.js';
import {failingServer, type Failure} from '../support/services/failing.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {drawn, FIXED_NOW, masked, screen, type Screen, type ScreenOptions} from '../support/screen.js';
import {CTRL_C, CTRL_D, ENTER, loaded} from '../support/terminal.js';
import {wordsOf} from '../support/words.js';
import {FAR} from '../support/far-limits.js';
import {extendedTest, some, widths} from '../support/test-size.js';

const DOWN = '\u001B[B';
const ESCAPE = '\u001B';
const CREATE = ['billing-statements', 'create'];
const PEOPLE = [
  ['Niño Ibañez', 'nino.ibanez@example.com', 'NINO'],
  ['Jeepney Brewing Company', 'accounting@jeepneybrew.example', 'JEEPNEY'],
  ["Aling Nena's Kakanin at Kapihan sa Kanto", 'nena.kakanin.kapihan@example.com', 'NENA'],
  ['東京商会 株式会社', 'tokyo@example.com', 'TOKYO'],
  ['Ana Reyes', 'ana.reyes@example.com', 'ANA'],
] as const;

/** A shop with these customers, on the sandbox. */
async function shop(): Promise<{directory: string; merchant: Merchant}> {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory, () => FIXED_NOW);
  for (const [name, email, prefix] of PEOPLE)
    await merchant.customer({name, email, billing_statement_prefix: prefix, created_at: 1});
  onTestFinished(() => merchant.close());
  return {directory, merchant};
}

const statementsOf = async (merchant: Merchant): Promise<Record<string, any>[]> =>
  (await merchant.call('GET', '/billing_statements')).data as Record<string, any>[];

/** Files of unfinished drafts. */
const keptIn = (directory: string): string[] => {
  try {
    return readdirSync(join(directory, 'unfinished')).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
};
const kept = (directory: string): any =>
  JSON.parse(readFileSync(join(directory, 'unfinished', keptIn(directory)[0]!), 'utf8')).unfinished;

/** Runs in a separate process. */
const start = (directory: string, options: ScreenOptions = {}): Screen => screen(directory, CREATE, options);
const open = (directory: string, options: InProcessOptions = {}): Screen => screenInProcess(directory, CREATE, options);

/** Answers up to the review: ₱30,500.00 for Niño Ibañez. */
async function toReview(desk: Screen): Promise<void> {
  await desk.until(/5 customers/);
  desk.type('nino');
  await desk.until(/❯ Niño/);
  desk.type(ENTER);
  await desk.until(/Item 1:/);
  desk.type(`Web design x2 @ 15,000${ENTER}`);
  await desk.until(/Item 2:/);
  desk.type(`Hosting @ 500${ENTER}`);
  await desk.until(/Item 3:/);
  desk.type(`done${ENTER}`);
  await desk.until(/\? Due:/);
  desk.type(`next friday${ENTER}`);
  await desk.until(/What's next\?/);
}

/** Links are random and long. */
const steady = (text: string): string =>
  masked(text)
    .replace(/\b[A-Z0-9]{8}-0001/g, 'PREFIX00-0001')
    .replace(/http:\/\/[^\s]+(\n[A-Za-z0-9_]+)*/g, 'http://…');

describe.runIf(loaded.pty)('the guided flow', () => {
  test('corrects a mistyped address of a new customer and keeps the entries', async () => {
    const {directory} = await shop();
    const desk = open(directory);
    await desk.until(/5 customers/);
    for (const [typed, shown] of [
      ['Mang Pedro', /New customer "Mang Pedro"/],
      [ENTER, /Name of the customer: +Mang Pedro/],
      [` Jr${ENTER}`, /Email:/],
      [`pedro@example.con${ENTER}`, /Item 1:/],
      [`Paint @ 500${ENTER}`, /Item 2:/],
      [`done${ENTER}`, /\? Due:/],
      [`+7d${ENTER}`, /What's next\?/],
      ['c', /❯ c +Edit customer/],
      [ENTER, /Name of the customer: +Mang Pedro Jr/],
      [`.${ENTER}`, /Email: +pedro@example\.con/],
      [`\u007Fm${ENTER}`, /To +Mang Pedro Jr\. <pedro@example\.com>, new[^]*What's next\?/],
    ] as const) {
      desk.type(typed);
      await desk.until(shown);
    }
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test.each(widths([60, 80, 100]))('at %i columns', async (columns) => {
    const {directory, merchant} = await shop();
    const desk = screenInProcess(directory, CREATE, {columns, rows: 30});
    const seen: string[] = [];
    const look = async (name: string, pattern: RegExp): Promise<void> => {
      await desk.until(pattern);
      seen.push(`## ${name}\n\n${steady(await desk.show())}`);
    };
    await look('who pays', /5 customers/);
    desk.type('na');
    await look('a part of a name', /❯ Ana Reyes[^]*2 of 5|❯ Ana Reyes[^]*of 5/);
    desk.type(`${ESCAPE}`);
    await desk.until(/Customer: *\n/);
    desk.type('Reyes Hardware');
    await look('nobody of this name', /New customer "Reyes Hardware"/);
    desk.type(ENTER);
    await desk.until(/Name of the customer: Reyes Hardware/);
    desk.type(` ${ENTER}`);
    await desk.until(/Email:/);
    desk.type(`ana.reyes@example.com${ENTER}`);
    await look('an address that exists', /Press\s+Enter\s+again\s+to\s+bill/);
    desk.type(`\u0015orders@reyes.example${ENTER}`);
    await look('what for', /Item 1:/);
    desk.type('Cement, 40 kg x120 @ 265');
    await look('what the text reads as', /₱31,800\.00/);
    desk.type(ENTER);
    await desk.until(/Item 2:/);
    desk.type('\u001B[200~2x Rebar 12 mm @ 310\r\nDelivery\r\nラーメン 6500\r\n\u001B[201~');
    await look('pasted lines', /Pasted line 2:/);
    desk.type(` @ 2,500${ENTER}`);
    await look('the next one', /Did\s+you\s+mean/);
    desk.type(ESCAPE);
    await desk.until(/Item 4:/);
    desk.type(`3${ENTER}`);
    await look('line 3', /Line 3: Delivery/);
    desk.type(`\u0015Delivery, Tondo to Marikina and back with a large truck @ 2,500${ENTER}`);
    await look('items', /Item 4:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`nov 20 2026${ENTER}`);
    await look('a day in the past', /Enter\s+again/);
    desk.type('\u0015dec 29');
    await look('until when', /Due: dec 29\n +Tuesday, 29 December/);
    desk.type(ENTER);
    await look('the review', /What's next\?/);
    desk.type('o');
    await look('another choice', /❯ o/);
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    seen.push(`## done\n\n${steady(await desk.show())}`);
    const text = seen.join('\n');
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    await expect(text).toMatchFileSnapshot(`texts/guided-${columns}.txt`);
    const [statement] = await statementsOf(merchant);
    expect(statement).toMatchObject({status: 'open', amount: 3_180_000 + 62_000 + 250_000});
    expect(keptIn(directory)).toEqual([]);
  });

  test('shows the whole question in few rows', async () => {
    const {directory} = await shop();
    const desk = open(directory, {columns: 60, rows: 12});
    await desk.until(/5 customers/);
    desk.type(`nino${ENTER}`);
    await desk.until(/Item 1:/);
    desk.type(`\u001B[200~${Array.from({length: 30}, (_, at) => `Item no. ${at + 1} x1 @ 10`).join('\n')}\u001B[201~`);
    await desk.until(/Item 31:/);
    const items = await desk.show();
    expect(items).toMatch(/30 +Item no\. 30[^]*Items \d+ to 30 of 30 · PgUp[^]*30 items +Total +₱300\.00[^]*Item 31:/);
    expect(items.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`14${ENTER}`);
    await desk.until(/What's next\?[^]*l {2}Quit/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('redraws when the terminal becomes narrower, without repeating lines', async () => {
    const {directory} = await shop();
    const desk = start(directory, {columns: 120});
    await toReview(desk);
    desk.resize(60, 24);
    await desk.until(/Send to nino\.ibanez@example\.com[^]*Ctrl-C/);
    desk.type('o');
    await desk.until(/❯ o/);
    expect((await desk.show()).match(/What's next/g)).toHaveLength(1);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('prints the result in whole words, even over two lines', async () => {
    const {directory} = await shop();
    const desk = open(directory, {columns: 60, rows: 40});
    await toReview(desk);
    desk.type(`d${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toMatch(
      /✓ Draft for Niño Ibañez <nino\.ibanez@example\.com>; the\n {2}customer is not asked to pay yet\n/,
    );
  });

  test('the printed command creates the same statement', async () => {
    const {directory, merchant} = await shop();
    const desk = open(directory, {columns: 100, rows: 40});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    const words = (await desk.text())
      .split('Same statement, one command:')[1]!
      .split('To wait until')[0]!
      .replaceAll('\\\n', ' ')
      .trim();
    const line = wordsOf(words)[0]!.slice(1);
    expect(await commandsIn(directory)(line)).toMatchObject({status: 12});
    const again = await commandsIn(directory)([...line, '--allow-duplicate']);
    expect(again).toMatchObject({status: 0, stderr: expect.stringContaining('sent')});
    const [second, first] = await statementsOf(merchant);
    for (const name of ['amount', 'customer_id', 'due_at', 'status']) expect(second![name], name).toEqual(first![name]);
  });

  test('repeated Enter after the last item sends nothing; the choice is carried out', async () => {
    const {directory, merchant} = await shop();
    const desk = open(directory, {rows: 30});
    await desk.until(/5 customers/);
    desk.type('nino');
    await desk.until(/❯ Niño/);
    desk.type(ENTER);
    await desk.until(/Item 1:/);
    desk.type(`Pancit bilao 3 @ 450${ENTER}`);
    await desk.until(/Is 3 the quantity\? Then write: Pancit bilao x3 @ 450/);
    desk.type(`\u0015Pancit bilao x3 @ 450${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`${DOWN}${ENTER}`);
    await desk.until(/What's next\?[^]*e {2}Add a description/);
    desk.type(`x${ENTER}`);
    await desk.until(/Choose first/);
    expect(await statementsOf(merchant)).toEqual([]);
    desk.type(`e${ENTER}`);
    await desk.until(/Description:/);
    desk.type(`Despedida${ENTER}`);
    await desk.until(/For {2}Despedida/);
    desk.type(`d${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await statementsOf(merchant)).toMatchObject([
      {status: 'draft', amount: 135_000, description: 'Despedida', line_items: [{quantity: 3}]},
    ]);
    expect(await desk.text()).toMatch(/--description=Despedida/);
  });

  test('a double Enter answers only one question', async () => {
    const {directory, merchant} = await shop();
    const desk = open(directory);
    await desk.until(/5 customers/);
    desk.type('nino');
    await desk.until(/❯ Niño/);
    desk.type(`${ENTER}${ENTER}`);
    await desk.until(/Item 1:/);
    desk.type(`Hosting @ 500${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`dec 30${ENTER}${ENTER}${DOWN}`);
    await desk.until(/❯ s/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(await statementsOf(merchant)).toEqual([]);
  });

  const LINES = Array.from({length: 30}, (_, at) => `Item ${at + 1} x2 @ 10`);
  test.each([
    ['marked as pasted', [`\u001B[200~${LINES.join('\r\n')}\r\n\u001B[201~`]],
    // Terminals write a mark at once. A lone Escape counts as the key after 30 ms, which a busy machine may exceed.
    ['marked, in pieces', ['\u001B[200~', ...LINES.join('\n'), '\u001B[201~']],
    ['at once, with CR', [LINES.join('\r')]],
    ['at once, with LF at the end', [`${LINES.join('\n')}\n`]],
    ['a line at a time', LINES.map((line) => `${line}\r`)],
    ['in pieces of 50', [...LINES.join('\r\n').match(/[^]{1,50}/g)!]],
  ])('pastes thirty lines as thirty items, %s', async (_, pieces) => {
    const {directory} = await shop();
    const desk = open(directory, {rows: 50});
    await desk.until(/5 customers/);
    desk.type(`nino${ENTER}`);
    await desk.until(/Item 1:/);
    for (const piece of pieces) desk.type(piece);
    if (pieces.length === 1 || pieces[0]!.startsWith('\u001B')) await desk.until(/30 items/);
    else {
      await desk.until(/(29|30) items/);
      desk.type(ENTER);
    }
    await desk.until(/30 items +Total +₱600\.00/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });
});

describe.runIf(loaded.pty)('what is typed', () => {
  const toItems = async (desk: Screen): Promise<void> => {
    await desk.until(/5 customers/);
    desk.type('nino');
    await desk.until(/❯ Niño/);
    desk.type(ENTER);
    await desk.until(/Item 1:/);
  };

  test('Tab takes a suggestion', async () => {
    const {directory} = await shop();
    const desk = open(directory);
    await toItems(desk);
    desk.type(`Hosting 6500${ENTER}`);
    await desk.until(/Did you mean: Hosting @ 6500/);
    desk.type('\t');
    await desk.until(/Item 1: Hosting @ 6500\n +Hosting: 1 × ₱6,500\.00/);
    desk.type(ENTER);
    await desk.until(/Item 2:/);
    desk.type(`Bilao 3 @ 450${ENTER}`);
    await desk.until(/Then write: Bilao x3 @ 450/);
    desk.type(`\t${ENTER}`);
    await desk.until(/2 items +Total +₱7,850\.00/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  for (const delay of [0, 5, 20, 40])
    test(`a key ${delay} ms behind Enter belongs to the next question, and sends nothing`, async () => {
      const {directory, merchant} = await shop();
      const desk = start(directory, {rows: 30});
      await desk.until(/5 customers/);
      // The last two would choose to send.
      const pieces = ['nino\r', 'Hosting @ 500\r', 'done\r', '+7d\rs', ENTER];
      if (delay === 0) desk.type(pieces.join(''));
      else for (const [index, piece] of pieces.entries()) setTimeout(() => desk.type(piece), index * delay);
      await desk.until(/1 {2}Hosting[^]*What's next\?[^]*❯ s/);
      expect(await statementsOf(merchant)).toEqual([]);
      desk.type(CTRL_C);
      expect(await desk.ended).toBe(130);
      expect(await statementsOf(merchant)).toEqual([]);
      expect(kept(directory)).toMatchObject({step: 'review', items: [{description: 'Hosting'}]});
    });

  test('a paste belongs to the half-typed text before it; a total in it is no item', async () => {
    const {directory} = await shop();
    const desk = open(directory, {rows: 30});
    await toItems(desk);
    desk.type('Blue');
    await desk.until(/Item 1: Blue/);
    desk.type('\u001B[200~ pens\t2\t75\nPaper\t1\t350\nTotal\t\t\t500\n\u001B[201~');
    await desk.until(/1 {2}Blue pens[^]*2 {2}Paper[^]*Pasted line 3: Total 500\n +1 pasted line[^]*looks like a total/);
    desk.type(ESCAPE);
    await desk.until(/Item 3:/);
    expect(await desk.show()).toMatch(/2 items +Total +₱500\.00/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('every item can be seen on 24 rows', async () => {
    const {directory} = await shop();
    const desk = open(directory);
    await toItems(desk);
    desk.type(`\u001B[200~${Array.from({length: 16}, (_, at) => `Thing ${at + 1} x1 @ 10`).join('\n')}\u001B[201~`);
    await desk.until(/Item 17:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`+7d${ENTER}`);
    await desk.until(/What's next\?/);
    const seen = new Set<string>();
    for (const key of ['', '\u001B[5~', '\u001B[5~']) {
      if (key !== '') {
        const before = await desk.show();
        desk.type(key);
        while ((await desk.show()) === before) await new Promise((resolve) => setImmediate(resolve));
      }
      for (const [thing] of (await desk.show()).matchAll(/Thing \d+/g)) seen.add(thing);
    }
    expect(seen.size).toBe(16);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('Quit is no error: it says that the input is kept', async () => {
    const {directory, merchant} = await shop();
    const desk = open(directory, {rows: 40});
    await toReview(desk);
    desk.type(`l${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toMatch(/Nothing was sent\. Your input is saved\.\nTo continue: centavo/);
    expect(await statementsOf(merchant)).toEqual([]);
    expect(keptIn(directory)).toHaveLength(1);
  });

  test('a terminal that closes ends the program, and the input is kept', async () => {
    const {directory} = await shop();
    const pty = loaded.pty!.spawn(
      '/bin/sh',
      ['-c', 'trap "" HUP; "$NODE" "$RUN" billing-statements create; echo $? > "$STATUS"'],
      {
        cols: 80,
        rows: 24,
        env: cliEnvironment(directory, {
          ...{TERM: 'xterm-256color', NODE: process.execPath, RUN, STATUS: join(directory, 'status')},
        }),
      },
    );
    const desk = drawn(pty, 80, 24);
    await toItems(desk);
    (pty as unknown as {destroy: () => void}).destroy();
    await vi.waitFor(() => expect(['130\n', '143\n']).toContain(readFileSync(join(directory, 'status'), 'utf8')), {
      timeout: FAR,
    });
    expect(kept(directory)).toMatchObject({step: 'items', payer: {name: 'Niño Ibañez'}});
  });
});

/** A test account behind a server that fails at given changes, numbered from 1. */
async function account(failures: Readonly<Record<number, Failure>> = {}) {
  const {directory, merchant} = await shop();
  const server = await failingServer(merchant, failures);
  onTestFinished(server.close);
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  return {directory, merchant, server, env};
}

const sendsOf = (changes: readonly string[]): number => changes.filter((change) => change.endsWith('/send')).length;

describe.runIf(loaded.pty)('asks again for values that the API rejects', () => {
  test('an address', async () => {
    const detail = 'Email cannot receive mail: its domain does not exist.';
    const {directory, merchant, env} = await account({
      1: {error: {code: 'parameter_invalid', detail, parameter: 'email'}},
    });
    const desk = open(directory, {env, rows: 30});
    await desk.until(/test account, no money moves[^]*5 customers/);
    desk.type(`Reyes Hardware${ENTER}`);
    await desk.until(/Name of the customer/);
    desk.type(` ${ENTER}`);
    await desk.until(/Email:/);
    desk.type(`orders@nope.example${ENTER}`);
    await desk.until(/Item 1:/);
    desk.type(`Cement x2 @ 265${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`net 30${ENTER}`);
    await desk.until(/What's next/);
    desk.type(`s${ENTER}`);
    await desk.until(/Email: orders@nope\.example\n +“orders@nope\.example” was refused: Email cannot receive mail/);
    await expect(steady(await desk.show())).toMatchFileSnapshot('texts/guided-refused-80.txt');
    desk.type(`\u0015orders@reyes.example${ENTER}`);
    await desk.until(/Send to orders@reyes\.example/);
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await statementsOf(merchant)).toMatchObject([{status: 'open', amount: 53_000}]);
    const {data} = await commandsIn(directory, {env})(['history', '--json']).then((result) => result.json());
    expect(data).toMatchObject([
      {result: 'ok', applied: 'yes'},
      {result: 'parameter_invalid', applied: 'no'},
    ]);
  });

  test('a plain refusal leaves no unknown outcome', async () => {
    const error = {code: 'parameter_invalid', detail: 'The currency is closed today.', parameter: 'currency'};
    const {directory, env} = await account({1: {error}});
    const desk = open(directory, {env, rows: 30});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    await desk.until(/The API refused the request/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(await desk.text()).toMatch(/Nothing was sent\. Your input is saved\./);
  });

  test('an item, in its line; a changed draft is recreated, and the old one deleted', async () => {
    const error = {code: 'parameter_invalid', detail: 'The description is too long.', parameter: 'description'};
    const {directory, merchant, env} = await account({3: {error}});
    const desk = open(directory, {env, rows: 30});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    await desk.until(/Line 2: Hosting @ 500\n +“Hosting” was refused: The description is too long\./);
    desk.type(`\u0015Host @ 600${ENTER}`);
    await desk.until(/Item 3:/);
    desk.type(`done${ENTER}`);
    await desk.until(/What's next/);
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await statementsOf(merchant)).toMatchObject([{status: 'open', amount: 3_060_000}]);
  });

  test('a server that stops: names the cause, says that no email was sent, and continues', async () => {
    const {directory, merchant, env, server} = await account({4: 'limited'});
    const desk = open(directory, {env: {...env, CENTAVO_TIMEOUT: '1s'}, rows: 30});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    await desk.until(/What's next\?[^\n]*\n[^]*No email\s+was\s+sent\./);
    await expect(steady(await desk.show()).replace(/bstm_X+/g, 'bstm_X')).toMatchFileSnapshot(
      'texts/guided-unreachable-80.txt',
    );
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await statementsOf(merchant)).toMatchObject([{status: 'open', amount: 3_050_000}]);
    expect(sendsOf(server.changes)).toBe(1);
  });

  for (const days of [40, 2, 0, -2, -40])
    extendedTest(`a draft whose creation was interrupted is found by a clock that is ${days} days wrong`, async () => {
      const {directory, merchant, env} = await account({1: {after: () => desk.type(CTRL_C)}});
      const desk: Screen = open(directory, {env, rows: 30, now: FIXED_NOW + days * 86_400});
      await toReview(desk);
      desk.type(`d${ENTER}`);
      expect(await desk.ended).toBe(130);
      expect(Math.abs(kept(directory).made.since - FIXED_NOW)).toBeLessThan(3600);
      const later = open(directory, {env, rows: 30, now: FIXED_NOW + days * 86_400});
      await later.until(/You have an unfinished/);
      later.type(`1${ENTER}`);
      await later.until(/What's next/);
      later.type(`d${ENTER}`);
      expect(await later.ended).toBe(0);
      expect(await statementsOf(merchant)).toMatchObject([{status: 'draft', amount: 3_050_000}]);
    });

  test('does not offer to send after a send with unknown outcome', async () => {
    const {directory, env, server} = await account({6: 'answer lost'});
    const desk = open(directory, {env, rows: 30});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    await desk.until(/The email may have been sent[^]*|What's next/);
    await desk.until(/❯ k {2}Check the statement/);
    await expect(steady(await desk.show())).toMatchFileSnapshot('texts/guided-in-doubt-80.txt');
    expect(await desk.show()).not.toMatch(/^. s {2}Send/m);
    desk.type(`k${ENTER}`);
    await desk.until(/NINO-0001 is open, ₱30,500\.00\.\s+The API does not say whether the email was\s+sent/);
    desk.type(`l${ENTER}`);
    expect(await desk.ended).toBe(10);
    const later = open(directory, {env, rows: 30});
    await later.until(/the email may have been sent/);
    later.type(`1${ENTER}`);
    await later.until(/❯ k {2}Check/);
    expect(await later.show()).not.toMatch(/^. s {2}Send/m);
    later.type(CTRL_C);
    expect(await later.ended).toBe(130);
    expect(sendsOf(server.changes)).toBe(1);
  });
});

/** Each step with the keys that lead to it and the text shown on return. */
const STEPS: readonly (readonly [
  step: string,
  keys: readonly (readonly [typed: string, shown: RegExp])[],
  again: RegExp,
])[] = [
  ['customer', [['ni', /❯ Niño/]], /Customer: ni\n/],
  [
    'name',
    [
      ['Zeny', /Customer "?Zeny|New customer "Zeny"/],
      [ENTER, /Name of the customer: Zeny/],
      ['th', /Zenyth/],
    ],
    /Name of the customer: Zenyth\n/,
  ],
  [
    'items',
    [
      ['nino', /❯ Niño/],
      [ENTER, /Item 1:/],
      [`Hosting @ 500${ENTER}`, /Item 2:/],
      ['Tie wi', /Item 2: Tie wi/],
    ],
    /1 {2}Hosting[^]*Item 2: Tie wi\n/,
  ],
  [
    'due',
    [
      ['nino', /❯ Niño/],
      [ENTER, /Item 1:/],
      [`Hosting @ 500${ENTER}`, /Item 2:/],
      [`done${ENTER}`, /Due:/],
      ['next f', /Due: next f/],
    ],
    /1 {2}Hosting[^]*Due: next f\n/,
  ],
  [
    'review',
    [
      ['nino', /❯ Niño/],
      [ENTER, /Item 1:/],
      [`Hosting @ 500${ENTER}`, /Item 2:/],
      [`done${ENTER}`, /Due:/],
      [`dec 30${ENTER}`, /What's next/],
    ],
    /1 {2}Hosting[^]*What's next/,
  ],
];

describe.runIf(loaded.pty)('keeps every entry', () => {
  const answer = async (desk: Screen, keys: readonly (readonly [string, RegExp])[]): Promise<void> => {
    await desk.until(/5 customers/);
    for (const [typed, shown] of keys) {
      desk.type(typed);
      await desk.until(shown);
    }
  };
  const resume = async (directory: string, again: RegExp): Promise<void> => {
    const desk = open(directory);
    await desk.until(/You have an unfinished statement\.[^]*❯ 1/);
    desk.type(`1${ENTER}`);
    await desk.until(again);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  };

  test.each(STEPS)('after Ctrl-C at %s: 130, and the next run continues there', async (_, keys, again) => {
    const {directory, merchant} = await shop();
    const desk = open(directory);
    await answer(desk, keys);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(await desk.text()).toMatch(/Nothing was sent\. Your input is saved\.\s+To continue: centavo bill\b/);
    expect(statSync(join(directory, 'unfinished', keptIn(directory)[0]!)).mode & 0o777).toBe(0o600);
    await resume(directory, again);
    expect(await statementsOf(merchant)).toEqual([]);
  });

  test.each(some(STEPS, 2))('after kill -9 at %s', async (_, keys, again) => {
    const {directory} = await shop();
    const desk = start(directory);
    await answer(desk, keys);
    const typed = /Tie wi|next f|Zenyth|: ni/.exec(String(again.source))?.[0].replace(': ', '') ?? '';
    await vi.waitFor(() => expect(kept(directory).typing).toBe(typed), {timeout: FAR});
    desk.kill('SIGKILL');
    await desk.ended;
    await resume(directory, again);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 143],
    ['SIGINT', 130],
  ] as const)('at %s: %i', async (signal, status) => {
    const {directory} = await shop();
    const desk = start(directory);
    await answer(desk, STEPS[2]![1]);
    desk.kill(signal);
    expect(await desk.ended).toBe(status);
    await resume(directory, STEPS[2]![2]);
  });

  test('after Ctrl-D', async () => {
    const {directory} = await shop();
    const desk = open(directory);
    await answer(desk, STEPS[2]![1]);
    desk.type(CTRL_D);
    expect(await desk.ended).toBe(130);
    await resume(directory, STEPS[2]![2]);
  });

  test('restores the terminal', async () => {
    const {directory} = await shop();
    const desk = start(directory);
    await answer(desk, STEPS[2]![1]);
    desk.type(CTRL_C);
    await desk.ended;
    const raw = desk.raw();
    for (const mode of ['?2004', '?2026'])
      expect(raw.lastIndexOf(`\u001B[${mode}l`)).toBeGreaterThan(raw.lastIndexOf(`\u001B[${mode}h`));
    expect(raw.lastIndexOf('\u001B[?25h')).toBeGreaterThan(raw.lastIndexOf('\u001B[?25l'));
  });

  test('does not offer a draft open elsewhere; keeps a new one beside the old one; t deletes', async () => {
    const {directory} = await shop();
    const first = start(directory, {now: null});
    await answer(first, STEPS[2]![1]);
    await vi.waitFor(() => expect(kept(directory).typing).toBe('Tie wi'), {timeout: FAR});
    const second = start(directory, {now: null});
    await second.until(/5 customers/);
    second.type('Ana');
    await second.until(/❯ Ana/);
    second.type(CTRL_C);
    expect(await second.ended).toBe(130);
    first.type(CTRL_C);
    await first.ended;
    expect(keptIn(directory)).toHaveLength(2);
    const third = open(directory);
    await third.until(/You have unfinished statements\.[^]*n {2}Start a new statement/);
    third.type(`t${ENTER}`);
    await third.until(/Which one\?[^]*2 {2}Delete/);
    third.type(`2${ENTER}`);
    await third.until(/You have an unfinished statement\./);
    expect(keptIn(directory)).toHaveLength(1);
    third.type(`n${ENTER}`);
    await third.until(/5 customers/);
    third.type(CTRL_C);
    expect(await third.ended).toBe(130);
    expect(keptIn(directory)).toHaveLength(1);
  });

  test.each(some([1, 2, 5, 3, 6, 4], 3))(
    'killed in the midst of change %i, it goes on, and nothing is made or sent twice',
    async (at) => {
      const desks: Screen[] = [];
      const {directory, merchant, env, server} = await account({
        [at]: {after: () => desks[0]!.kill('SIGKILL')},
      });
      desks.push(start(directory, {env, rows: 30, now: null}));
      await toReview(desks[0]!);
      desks[0]!.type(`s${ENTER}`);
      await desks[0]!.ended;
      const desk = open(directory, {env, rows: 30, now: null, pace: 0.01});
      await desk.until(/You have an unfinished/);
      desk.type(`1${ENTER}`);
      await desk.until(/Nothing\s+is\s+created\s+or\s+sent\s+twice/);
      desk.type(`s${ENTER}`);
      if (at === 6) {
        await desk.until(/❯ k {2}Check/);
        desk.type(CTRL_C);
      }
      expect(await desk.ended).toBe(at === 6 ? 130 : 0);
      expect(await statementsOf(merchant)).toMatchObject([{status: 'open', amount: 3_050_000}]);
      expect(sendsOf(server.changes)).toBe(1);
    },
  );

  test('after Ctrl-C during creation: keeps the created objects, and the next run continues with them', async () => {
    const {directory, merchant, env, server} = await account({2: {before: () => new Promise<void>(() => {})}});
    const desk = start(directory, {env, rows: 30, now: null});
    await toReview(desk);
    desk.type(`s${ENTER}`);
    await vi.waitFor(() => expect(server.changes).toHaveLength(2), {timeout: FAR});
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(kept(directory).made).toMatchObject({attempted: true, statementId: expect.stringMatching(/^bstm_/)});
    const again = open(directory, {env, rows: 30, now: null, pace: 0.01});
    await again.until(/partly created/);
    again.type(`1${ENTER}`);
    await again.until(/What's next/);
    again.type(`d${ENTER}`);
    expect(await again.ended).toBe(0);
    expect(await statementsOf(merchant)).toMatchObject([{status: 'draft', amount: 3_050_000}]);
  });

  test('a dry run asks, but stores and sends nothing', async () => {
    const {directory, merchant} = await shop();
    const dry = screenInProcess(directory, [...CREATE, '--dry-run'], {rows: 60});
    await toReview(dry);
    dry.type(`s${ENTER}`);
    expect(await dry.ended).toBe(0);
    expect(await dry.text()).toMatch(
      /this would create, finalize and send a billing statement of ₱30,500\.00\s+for Niño Ibañez\.\s+2 × ₱15,000\.00 {2}Web design\s+1 × ₱500\.00 {2}Hosting\s+due /,
    );
    expect(await dry.text()).not.toContain('POST');
    expect(await statementsOf(merchant)).toEqual([]);
    expect(keptIn(directory)).toEqual([]);
  });
});

describe.runIf(loaded.pty)('in plain lines', () => {
  const PLAIN = {ACCESSIBLE: '1', NO_COLOR: '1'};
  test.each([PLAIN, {TERM: 'dumb', NO_COLOR: '1'}])('%j: creates a statement line by line', async (env) => {
    const {directory, merchant} = await shop();
    const desk = start(directory, {env, rows: 80});
    await desk.until(/New billing statement, sandbox, no money moves[^]*Customer:$/m);
    desk.type(`ib nin${ENTER}`);
    await desk.until(/1\. Niño Ibañez <nino\.ibanez@example\.com>\n {2}n\. New customer "ib nin"\nCustomer:$/m);
    desk.type(`1${ENTER}`);
    await desk.until(/Line 1:$/m);
    desk.type(`Web design x2 @ 15,000${ENTER}`);
    await desk.until(/Line 1: Web design: 2 × ₱15,000\.00 = ₱30,000\.00\. 1 item, total ₱30,000\.00\.\nLine 2:$/m);
    desk.type(`Hosting 6500${ENTER}`);
    await desk.until(/No price\. Did you mean: Hosting @ 6500\nLine 2:$/m);
    desk.type(`Hosting @ 6500${ENTER}`);
    await desk.until(/2 items, total ₱36,500\.00\.\nLine 3:$/m);
    desk.type(`back${ENTER}`);
    await desk.until(/Who pays\?[^]*Who pays\?[^]*Customer:$/m);
    desk.type(`nino${ENTER}`);
    await desk.until(/New customer "nino"\nCustomer:$/m);
    desk.type(`1${ENTER}`);
    await desk.until(/Line 2: Hosting[^]*Line 2: Hosting[^]*Line 3:$/m);
    desk.type(`-2${ENTER}`);
    await desk.until(/Removed Hosting\. 1 item, total ₱30,000\.00\.\nLine 2:$/m);
    desk.type(ENTER);
    await desk.until(/Due:$/m);
    desk.type(`nov 20 2026${ENTER}`);
    await desk.until(/already\s+be\s+overdue\.\s+Press\s+Enter\s+again\s+to\s+use\s+it\s+anyway\.\nDue:$/m);
    desk.type(`dec 25${ENTER}`);
    await desk.until(/Due: Friday, 25 December 2026, in 10 days[^]*What's next\?[^]*Letter:$/m);
    desk.type(`s${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(desk.raw()).not.toContain('\u001B');
    expect(await statementsOf(merchant)).toMatchObject([{status: 'open', amount: 3_000_000}]);
    // A screen reader has a word for the arrow.
    const shown = steady(await desk.show()).replace(/^To sandbox$/m, '→ sandbox');
    await expect(shown).toMatchFileSnapshot('texts/guided-plain-80.txt');
  });

  test('pastes thirty lines as thirty items; Ctrl-C keeps them, and the next run offers them', async () => {
    const {directory} = await shop();
    const desk = start(directory, {env: PLAIN, rows: 80});
    await desk.until(/Customer:$/m);
    desk.type(`nino${ENTER}1${ENTER}`);
    await desk.until(/Line 1:$/m);
    desk.type(Array.from({length: 30}, (_, at) => `Item ${at + 1} x1 @ 10\n`).join(''));
    await desk.until(/30 items, total ₱300\.00\.\nLine 31:$/m);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    const again = start(directory, {env: PLAIN, rows: 80});
    await again.until(
      /1\. Continue the statement for Niño Ibañez\. Niño Ibañez · 30\s+items, ₱300\.00[^]*Number or letter:$/m,
    );
    again.type(`1${ENTER}`);
    await again.until(/30 items, total[^]*Line 31:$/m);
    again.type(CTRL_D);
    expect(await again.ended).toBe(130);
  });
});

test('has a pseudo-terminal, or skips the rest and says why; in CI that is a failure', () => {
  if (loaded.reason) console.warn(`Skipped, for want of a pseudo-terminal: ${loaded.reason}`);
  if (process.env.CI === 'true') expect(loaded.reason).toBeUndefined();
});
