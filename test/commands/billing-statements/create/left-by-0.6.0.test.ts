// What release 0.6.0 left unfinished, from the files that it wrote itself, is finished: nothing is made or sent twice, and nobody waits for long.

import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {commandsIn} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {leftBehind} from '../../../support/scenarios/left-behind.js';
import {skippedOn} from '../../../support/skipped-time.js';
import {CTRL_C, ENTER, loaded} from '../../../support/terminal.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/0.6.0');
const WHOLE = ['--item', 'Web design x2 @ 15,000', '--item', 'Hosting @ 500', '--due', '2031-12-15', '--send'];

/** A machine with the files of 0.6.0 on it, so many seconds after its last word, and the service with what that release had made there. */
async function machine(name: string, later: number, {isLate = false} = {}) {
  const folder = join(FIXTURES, name);
  const history = readFileSync(join(folder, 'history.jsonl'), 'utf8');
  const {at} = JSON.parse(history.trimEnd().split('\n').at(-1)!) as {at: number};
  const {directory, merchant, server, now, env, anew, statements} = await leftBehind(folder, {at, later, isLate});

  writeFileSync(join(directory, 'history.jsonl'), anew(history));
  const entered = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter((file) => file.endsWith('.json'));
  if (entered.length > 0) mkdirSync(join(directory, 'unfinished'), {mode: 0o700});
  for (const file of entered) {
    // The account is in the name of the file, and the process that wrote it is gone.
    const own = file.replace(/_\d+_/, `_${new URL(server.url).port}_`);
    const text = anew(readFileSync(join(folder, file), 'utf8')).replace(/"pid":\d+/, '"pid":99999999');
    writeFileSync(join(directory, own), text, {mode: 0o600});
  }

  const [made] = await statements();
  return {
    ...{directory, env, server, merchant, statements},
    id: made?.id as string,
    run: commandsIn(directory, {env, pace: 0.01, now}),
    now: at + later,
    /** Seconds. */
    waited: () => skippedOn(directory) / 1000 / 0.99,
    changes: () =>
      server.changes.map((change) =>
        change.replace(/ \/billing_(statement_line_)?/, ' ').replace('statements/:id/', ''),
      ),
  };
}

const SENT = ['POST finalize', 'POST send'];
const PUT = 'PUT statements/:id';
const ITEM = 'POST items';
/** What is taken over gets its keys with the due date, so that another call for that is not needed. */
const CONTINUED: readonly [string, readonly string[]][] = [
  ['draft', [PUT, ITEM, ITEM, ...SENT]],
  ['item-unanswered', [PUT, ...SENT]],
  ['items', [PUT, ...SENT]],
  ['finalize-unanswered', ['POST send']],
  ['send-refused', ['POST send']],
];

describe.each([
  ['a day', 86_400, 0],
  ['two seconds', 2, 16],
])('--continue, %s after 0.6.0 ended', (_, later, longest) => {
  test.each(CONTINUED)('%s: what was left out is done', async (name, expected) => {
    const {id, run, statements, changes, waited} = await machine(name, later);
    const result = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
    expect(result).toMatchObject({status: 0});
    expect(changes()).toEqual(expected);
    expect(await statements()).toMatchObject([{id, status: 'open', amount: 3_050_000}]);
    expect((await statements())[0]!.line_items).toHaveLength(2);
    expect(waited()).toBeLessThanOrEqual(longest);
    // And once more: it is not sent again.
    const again = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
    expect(again).toMatchObject({status: 0, stderr: expect.stringContaining('It was not sent again.')});
    expect(changes()).toEqual(expected);
  });

  test.each(['send-unanswered', 'send-not-arrived'])(
    '%s: it may have been sent, and is never sent again',
    async (name) => {
      const {id, run, changes, waited} = await machine(name, later);
      const result = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
      expect(result).toMatchObject({status: 10, stderr: expect.stringMatching(/not known whether \S+ was sent/)});
      expect(changes()).toEqual([]);
      expect(waited()).toBeLessThanOrEqual(longest);
    },
  );

  test('sent: it is said, and not sent again', async () => {
    const {id, run, changes} = await machine('sent', later);
    const result = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
    expect(result).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('was sent by another run. It was not sent again.'),
    });
    expect(changes()).toEqual([]);
  });
});

test.each<[string, readonly string[]]>([
  ['item-unanswered', [PUT, ITEM, 'DELETE items/:id', ...SENT]],
  ['finalize-unanswered', [PUT, 'POST send']],
])('%s, and applied late: it counts once', async (name, expected) => {
  const {id, run, statements, changes, waited} = await machine(name, 2, {isLate: true});
  const result = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
  expect(result).toMatchObject({status: 0, stderr: expect.stringMatching(/checking until \d/)});
  expect(changes()).toEqual(expected);
  expect(await statements()).toMatchObject([{id, status: 'open', amount: 3_050_000}]);
  expect(waited()).toBeLessThan(16);
});

test('a draft that 0.6.0 did not see answered may be that of another computer: it is waited for, and made whole', async () => {
  const {id, run, statements, waited} = await machine('draft-unanswered', 86_400);
  const result = await run(['billing-statements', 'create', '--continue', id, ...WHOLE]);
  expect(result).toMatchObject({status: 0, stderr: expect.stringContaining('no other computer')});
  expect(await statements()).toMatchObject([{id, status: 'open', amount: 3_050_000}]);
  expect(Math.round(waited())).toBe(30);
});

describe.runIf(loaded.pty)('guided', () => {
  test.each<[string, readonly string[]]>([
    ['guided-customer-unanswered', ['POST statements', ITEM, ITEM, PUT, ...SENT]],
    ['guided-draft-unanswered', [PUT, ITEM, ITEM, ...SENT]],
    ['guided-draft', [PUT, ITEM, ITEM, ...SENT]],
    ['guided-item-unanswered', [PUT, ...SENT]],
    ['guided-finalize-unanswered', ['POST send']],
  ])('%s: it is offered, and finished with what is there', async (name, expected) => {
    const {directory, env, id, merchant, now, statements, changes, waited} = await machine(name, 86_400);
    const desk = screenInProcess(directory, ['billing-statements', 'create'], {env, now, rows: 30, pace: 0.01});
    await desk.until(/You have an unfinished statement\.[^]*❯ 1/);
    desk.type(`1${ENTER}`);
    await desk.until(/What's next\?/);
    desk.type(`s${ENTER}`);
    expect(await desk.ended, await desk.text()).toBe(0);
    expect(changes()).toEqual(expected);
    const whole = {status: 'open', amount: 3_050_000};
    expect(await statements()).toMatchObject([id === undefined ? whole : {...whole, id}]);
    const {data: customers} = await merchant.call('GET', '/customers');
    expect(customers).toHaveLength(name === 'guided-customer-unanswered' ? 2 : 1);
    expect(waited()).toBe(0);
    expect(readdirSync(join(directory, 'unfinished')).filter((file) => file.endsWith('.json'))).toEqual([]);
  });

  test('guided-send-unanswered: it may have been sent, and is never sent again', async () => {
    const {directory, env, now, changes} = await machine('guided-send-unanswered', 86_400);
    const desk = screenInProcess(directory, ['billing-statements', 'create'], {env, now, rows: 30, pace: 0.01});
    await desk.until(/You have an unfinished statement\.[^]*❯ 1/);
    desk.type(`1${ENTER}`);
    await desk.until(/What's next\?/);
    desk.type(`s${ENTER}`);
    await desk.until(/The email may have been sent[^]*❯ k {2}Check/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
    expect(changes()).toEqual([]);
  });
});
