// `billing-statements reissue` and `duplicate`: a killed command continues, and two statements are never payable.

import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {failingServer} from '../../support/services/failing.js';
import {screenInProcess, terminalInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {LIVE_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {screen} from '../../support/screen.js';
import {ENTER, loaded} from '../../support/terminal.js';
import {wordsOf} from '../../support/words.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const reissue = (...words: string[]) => run(['billing-statements', 'reissue', ...words]);
const duplicate = (...words: string[]) => run(['billing-statements', 'duplicate', ...words]);
let merchant: Merchant;
let old: string;
let customer: string;

beforeAll(() => {
  merchant = new Merchant(directory);
});
afterAll(() => merchant.close());
beforeEach(async () => {
  const statement = await merchant.open({description: 'June', metadata: {order: '12'}});
  [old, customer] = [statement.id as string, statement.customer_id as string];
});

type Wire = Record<string, any>;
const own = async (): Promise<Wire[]> =>
  ((await merchant.call('GET', '/billing_statements?limit=100')).data as Wire[]).filter(
    ({customer_id}) => customer_id === customer,
  );
const statuses = async (): Promise<string[]> => (await own()).map(({status}) => status as string).reverse();

describe('reissue', () => {
  test('copies the old statement and voids it', async () => {
    const result = await reissue(old, '--due', '2031-12-15', '--json');
    expect(result).toMatchObject({status: 0, stderr: ''});
    const created = result.json();
    expect(created).toMatchObject({
      status: 'open',
      amount: 150_000,
      customer_id: customer,
      description: 'June',
      metadata: {order: '12', centavo_replaces: old},
      due_at: Date.parse('2031-12-15T23:59:59+08:00') / 1000,
    });
    expect(await statuses()).toEqual(['void', 'open']);
    const [record] = (await run(['history', '--json'])).json().data;
    expect(record).toMatchObject({
      command: 'billing-statements reissue',
      result: 'ok',
      applied: 'yes',
      amount: 150_000,
    });
    expect(record.ids).toEqual([old, created.id]);
  });

  test('bills other items, sends, and prints each step', async () => {
    const {status, stderr, stdout} = await reissue(old, '--item', 'Logo x2 @ 400', '--item', 'Hosting @ 250', '--send');
    expect(status).toBe(0);
    for (const words of ['→ sandbox', '2 items, ₱1,050.00', 'finalized', 'sent']) expect(stderr).toContain(words);
    expect(stderr).toMatch(/draft \S+-0002\n[^]*voided \S+-0001\n[^]*\S+-0001 is void\. \S+-0002 replaces it\./);
    expect(stdout).toMatch(/^amount\t₱1,050\.00$/m);
  });

  test('changes nothing when run again, and shows the new statement', async () => {
    const first = (await reissue(old, '--json')).json();
    const {status, stdout, stderr} = await reissue(old);
    expect(status).toBe(0);
    expect(stdout).toContain(first.id);
    expect(stderr).toMatch(/was already reissued as \S+-0002; nothing was changed\./);
    expect(await statuses()).toEqual(['void', 'open']);
  });

  test('does not ask to send again what this machine sent', async () => {
    await reissue(old, '--send');
    expect((await reissue(old, '--send')).stderr).toMatch(/was already reissued as \S+-0002; nothing was changed\./);
  });

  /** Another computer with the same account, and faults for its changes. */
  async function computer(failures: Parameters<typeof failingServer>[1] = {}) {
    const server = await failingServer(merchant, failures);
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    return {server, run: commandsIn(temporaryDirectory(), {env, pace: 0.01})};
  }

  test('sends nothing when run again on another computer, and says how to', async () => {
    const first = (await reissue(old, '--send', '--json')).json();
    const {server, run: other} = await computer();
    const {status, stdout, stderr} = await other(['billing-statements', 'reissue', old, '--send']);
    expect(status).toBe(0);
    expect(stdout).toContain(first.id);
    expect(stderr).toMatch(
      /(\S+-0002) was finalized by another run, so this run did not send it\. To send it yourself: centavo send \1/,
    );
    expect(server.changes).toEqual([]);
    const [record] = (await other(['history', '--json'])).json().data;
    expect(record).toMatchObject({result: 'ok', applied: 'no'});
  });

  test('repeats a void whose response was lost, and says so', async () => {
    const {run: own} = await computer({4: 'answer lost'});
    const {status, stderr} = await own(['billing-statements', 'reissue', old]);
    expect(status).toBe(0);
    expect(stderr).toContain('no clear answer while voiding the old statement: the change may have been made');
    expect(await statuses()).toEqual(['void', 'open']);
  });

  test('a refused void leaves both statements, with the command to continue', async () => {
    const {run: own} = await computer({4: 'refused'});
    const {status, stderr} = await own(['billing-statements', 'reissue', old]);
    expect(status).toBe(5);
    expect(stderr).toMatch(/while voiding the old statement\.\n.*The draft \S+ has 1 of 1 item\..*-0001 is open\./);
    expect(await statuses()).toEqual(['open', 'draft']);
    expect((await own(['billing-statements', 'reissue', old])).status).toBe(0);
    expect(await statuses()).toEqual(['void', 'open']);
  });

  test('deletes the draft if the old statement was paid before the void', async () => {
    const {run: own} = await computer({4: {before: () => void controlOf(merchant.sandbox).pay(old, {})}});
    const {status, stderr} = await own(['billing-statements', 'reissue', old, '--json']);
    expect(status).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({code: 'statement_paid', applied: 'yes'});
    expect(await statuses()).toEqual(['paid']);
  });

  test('continues with the draft of an earlier run', async () => {
    const metadata = {centavo_replaces: old};
    const draft = (await merchant.draft({customer_id: customer, metadata})).id as string;
    const {status, stderr} = await run(['billing-statements', 'create', '--continue', draft, '--send']);
    expect(status).toBe(12);
    expect(stderr).toContain(` replaces ${old}.`);
    const words = /Continue the reissue: centavo (.*)$/m.exec(stderr)![1]!;
    expect(await statuses()).toEqual(['open', 'draft']);
    expect(words).toBe(`reissue ${old} --send`);
  });

  test('a replacement can be reissued', async () => {
    const second = (await reissue(old, '--json')).json();
    const third = (await reissue(second.id, '--json')).json();
    expect(third.metadata).toMatchObject({order: '12', centavo_replaces: second.id});
    expect(await statuses()).toEqual(['void', 'void', 'open']);
    const again = await reissue(old);
    expect(again).toMatchObject({status: 5});
    expect(again.stderr).toMatch(
      /was replaced by \S+-0003\.\n.*\n {2}To correct its replacement: centavo reissue \S+-0003 --edit\n/,
    );
  });

  test('refuses a paid statement and creates nothing', async () => {
    controlOf(merchant.sandbox).pay(old, {});
    const {status, stderr} = await reissue(old, '--json');
    expect(status).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({code: 'statement_paid', applied: 'no'});
    expect(await statuses()).toEqual(['paid']);
  });

  test('needs a new due date for an overdue statement, with a command that works', async () => {
    const {id} = await merchant.draft({customer_id: customer});
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: merchant.sandbox.now() - 9 * 86_400});
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    const {status, stderr} = await reissue(id as string);
    expect(status).toBe(2);
    expect(stderr).toMatch(/was due 9 days ago\./);
    const next = /centavo (reissue .*)$/m.exec(stderr)![1]!;
    expect((await run(wordsOf(next)[0]!)).status).toBe(0);
  });

  test.each([
    [['--item', 'Pens @ 5'], 'the items come to ₱5.00, which is too little'],
    [['--item', 'Pens @ 99,000,000'], 'too much'],
    [['--due', 'sometime'], 'is not a date'],
  ])('%j is refused before anything is changed', async (words, message) => {
    const {status, stderr} = await reissue(old, ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(await statuses()).toEqual(['open']);
  });

  test('--dry-run shows the requests in order and sends none', async () => {
    const {status, stdout} = await reissue(old, '--send', '--dry-run', '--json');
    expect(status).toBe(0);
    const lines = (JSON.parse(stdout).requests as Wire[]).map(({method, url}) => `${method} ${new URL(url).pathname}`);
    expect(lines).toEqual([
      'POST /billing_statements',
      'POST /billing_statement_line_items',
      'PUT /billing_statements/bstm_new',
      `POST /billing_statements/${old}/void`,
      'POST /billing_statements/bstm_new/finalize',
      'POST /billing_statements/bstm_new/send',
    ]);
    expect(await statuses()).toEqual(['open']);
  });

  const CHANGES = ['draft', 'item', 'due', 'void', 'finalize', 'send'];

  describe.each(CHANGES.map((step, index) => [step, index + 1] as const))('SIGKILL at the %s', (step, at) => {
    test.each(['before', 'after'] as const)('%s it is applied: the same command continues', async (when) => {
      const home = temporaryDirectory();
      let begun!: (child: ChildProcess) => void;
      const running = new Promise<ChildProcess>((resolve) => (begun = resolve));
      const end = async (): Promise<void> => {
        const child = await running;
        child.kill('SIGKILL');
        if (child.signalCode === null) await once(child, 'exit');
      };
      const server = await failingServer(merchant, {[at]: when === 'after' ? {after: end} : {before: end}});
      onTestFinished(server.close);
      const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
      const line = ['billing-statements', 'reissue', old, '--send'];
      const child = spawn(process.execPath, [RUN, ...line], {env: cliEnvironment(home, env)});
      begun(child);
      await once(child, 'close');
      expect((await statuses()).filter((status) => status === 'open').length).toBeLessThanOrEqual(1);
      const own = commandsIn(home, {env, pace: 0.01});
      const [record] = (await own(['history', '--json'])).json().data;
      expect(record).toMatchObject({result: 'unfinished', step});
      const again = await own([...line, '--json']);
      if (step === 'send') expect(again).toMatchObject({status: 10});
      else expect(again).toMatchObject({status: 0});
      const after = await statuses();
      expect(after.filter((status) => status === 'open')).toHaveLength(1);
      expect(after[0]).toBe('void');
      expect(server.changes.filter((change) => change.endsWith('/send')).length).toBe(1);
    });
  });

  test.runIf(loaded.pty)('at a terminal it asks, with number, customer, amounts and due date', async () => {
    const desk = terminalInProcess(
      directory,
      ['billing-statements', 'reissue', old, '--item', 'Logo @ 900', '--due', '2031-12-15'],
      {
        columns: 160,
      },
    );
    await desk.until(
      /void \S+-0001 of ₱1,500\.00 for Juan Dela Cruz, and bill ₱900\.00 in its place, due Monday, 15 December 2031\?/,
    );
    desk.type(`n${ENTER}`);
    expect(await desk.ended).toBe(12);
    expect(await statuses()).toEqual(['open']);
  });

  test.runIf(loaded.pty)('does not reissue a statement that was paid during the question', async () => {
    const desk = terminalInProcess(directory, ['billing-statements', 'reissue', old], {columns: 160});
    await desk.until(/in its place/);
    controlOf(merchant.sandbox).pay(old, {});
    desk.type(`y${ENTER}`);
    expect(await desk.ended).not.toBe(0);
    expect(await statuses()).toEqual(['paid']);
  });

  test.runIf(loaded.pty)('--edit starts with the old values and bills the changed ones', async () => {
    const desk = screen(directory, ['billing-statements', 'reissue', old, '--edit'], {
      columns: 100,
      rows: 40,
      now: null,
    });
    await desk.until(/Web design[^]*What's next\?/);
    desk.type(`i${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`Hosting @ 250${ENTER}`);
    await desk.until(/Item 3:/);
    desk.type(`done${ENTER}`);
    await desk.until(/₱1,750\.00[^]*What's next\?/);
    desk.type('s');
    await desk.until(/❯ s/);
    desk.type(ENTER);
    await desk.until(/void \S+-0001 of ₱1,500\.00[^]*and bill ₱1,750\.00 in its\s+place[^]*and send it/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toMatch(/To wait until it is paid: centavo wait \S+-0002/);
    expect(await desk.text()).not.toContain('To email it');
    expect((await own()).map(({status, amount}) => [status, amount])).toEqual([
      ['open', 175_000],
      ['void', 150_000],
    ]);
  });

  test.runIf(loaded.pty)(
    '--edit offers only what replaces a statement, and keeps its promise when it is left: nothing is changed',
    async () => {
      const desk = screenInProcess(directory, ['billing-statements', 'reissue', old, '--edit'], {
        columns: 100,
        rows: 40,
        now: null,
      });
      await desk.until(/What's next\?/);
      expect(await desk.text()).toMatch(/^Replace /m);
      expect(await desk.text()).not.toMatch(/Save as draft|Edit customer|saved|keep it for later/);
      desk.type('l');
      await desk.until(/❯ l {2}Quit, change nothing/);
      desk.type(ENTER);
      expect(await desk.ended).toBe(0);
      expect(await statuses()).toEqual(['open']);
    },
  );

  test('--edit without a terminal is refused', async () => {
    const {status, stderr} = await reissue(old, '--edit');
    expect(status).toBe(2);
    expect(stderr).toContain('--edit needs a terminal.');
  });

  test('with a live key it needs --live, and without a terminal --yes', async () => {
    const statement = {
      status: 'open',
      due_at: 2_000_000_000,
      customer_id: 'cus_2mQ8',
      billing_statement_number: 'A-0001',
    };
    const live = await service({bstm_7Hq2: statement});
    onTestFinished(live.close);
    const env = {CENTAVO_BASE_URL: live.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const own = commandsIn(temporaryDirectory(), {env});
    for (const words of [[], ['--yes'], ['--live']]) {
      const result = await own(['billing-statements', 'reissue', 'bstm_7Hq2', ...words]);
      expect(result.status).toBe(12);
      expect(result.stderr).toContain('void A-0001 of ₱31,000.00 for Juan Dela Cruz, and bill ₱31,000.00 in its place');
    }
    expect(live.writes()).toEqual([]);
    const done = await own(['billing-statements', 'reissue', 'bstm_7Hq2', '--live', '--yes']);
    expect(done.stderr).toContain('LIVE');
    expect(live.writes()).toContain('POST /billing_statements/bstm_7Hq2/void');
  });
});

describe('duplicate', () => {
  test('has the same customer, items, description and metadata, and is a draft', async () => {
    const result = await duplicate(old, '--json');
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toMatchObject({
      status: 'draft',
      amount: 150_000,
      customer_id: customer,
      description: 'June',
      metadata: {order: '12', centavo_key: expect.any(String)},
      due_at: null,
    });
    expect(await statuses()).toEqual(['open', 'draft']);
  });

  test('with --due and --send sends a copy, whatever the status of the source', async () => {
    controlOf(merchant.sandbox).pay(old, {});
    const {status, stderr} = await duplicate(old, '--due', '+30d', '--send');
    expect(status).toBe(0);
    expect(stderr).toContain('sent');
    expect(await statuses()).toEqual(['paid', 'open']);
  });

  test.skipIf(!loaded.pty)('the question says what became of the source, unless it can still be paid', async () => {
    const ask = async (): Promise<string> => {
      const due = new Date((merchant.sandbox.now() - 86_400) * 1000).toISOString().slice(0, 10);
      const desk = terminalInProcess(directory, ['billing-statements', 'duplicate', old, '--due', due, '--finalize']);
      await desk.until(/\?/);
      desk.type(ENTER);
      expect(await desk.ended).toBe(12);
      return desk.text().replaceAll(/\s+/g, ' ');
    };
    expect(await ask()).not.toContain('a copy of');
    await reissue(old);
    expect(await ask()).toMatch(/a copy of \S+-0001, which was replaced by \S+-0002/);
  });

  test('for another customer', async () => {
    const other = (await merchant.customer({name: 'Ana Reyes', email: 'ana@example.com'})).id as string;
    const made = (await duplicate(old, '--customer', other, '--json')).json();
    expect(made).toMatchObject({customer_id: other, amount: 150_000});
  });

  test('copies neither the number in the description nor the keys of centavo', async () => {
    const plain = await merchant.open({customer_id: customer});
    const next = (await reissue(plain.id as string, '--json')).json();
    const made = (await duplicate(next.id, '--json')).json();
    expect(Object.keys(made.metadata)).toEqual(['centavo_key', 'centavo_run']);
    expect([next.metadata.centavo_key, next.metadata.centavo_run]).not.toContain(made.metadata.centavo_key);
    expect(made.description).toBe(`Payment for Billing Statement ${made.billing_statement_number}`);
  });

  test.runIf(loaded.pty)('--edit goes through the review first', async () => {
    const desk = screenInProcess(directory, ['billing-statements', 'duplicate', old, '--edit', '--due', '2031-12-15'], {
      columns: 100,
      rows: 40,
      now: null,
    });
    await desk.until(/Monday, 15 December 2031[^]*What's next\?/);
    desk.type('d');
    await desk.until(/❯ d/);
    desk.type(ENTER);
    expect(await desk.ended).toBe(0);
    const [made] = await own();
    expect(made).toMatchObject({status: 'draft', amount: 150_000, description: 'June', metadata: {order: '12'}});
  });

  test('needs a due date to finalize', async () => {
    const {status, stderr} = await duplicate(old, '--finalize');
    expect(status).toBe(2);
    expect(stderr).toContain('without a due date cannot be finalized');
    expect(await statuses()).toEqual(['open']);
  });

  test('finds the draft after a lost response instead of creating another', async () => {
    const server = await failingServer(merchant, {1: 'answer lost', 2: 'answer lost'});
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const result = await commandsIn(temporaryDirectory(), {env, pace: 0.01})([
      ...['billing-statements', 'duplicate', old, '--due', '+9d', '--finalize', '--json'],
    ]);
    expect(result.json()).toMatchObject({status: 'open', amount: 150_000});
    expect(await statuses()).toEqual(['open', 'open']);
  });

  test('--dry-run shows the requests and sends none', async () => {
    const {status, stdout} = await duplicate(old, '--dry-run', '--due', '+3d', '--finalize');
    expect(status).toBe(0);
    expect(stdout.match(/^(POST|PUT) \S+/gm)).toHaveLength(4);
    expect(await statuses()).toEqual(['open']);
  });
});
