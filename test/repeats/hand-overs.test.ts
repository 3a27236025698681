// A live change that an agent asks for: stored, approved by a person once, and told to the agent.

import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {describe, expect, test} from 'vitest';
import {controlOf} from '../../src/sandbox/control/control.js';
import {openDatabase} from '../../src/storage/sqlite.js';
import {temporaryDirectory} from '../support/cli.js';
import {
  billedJob,
  checkKind,
  errorCode,
  errorOf,
  fileOf,
  handedOver,
  kindNamed,
  ROWS,
} from '../support/repeats/hand-over-kinds.js';
import {handOverStage, NO, YES, type HandOverStage} from '../support/repeats/hand-over-stage.js';

const DAY = 24 * 3600;

const refundOf = (payment: string, amount = '100'): string[] => [
  ...['refunds', 'create', '--payment', payment, '--amount', amount, '--reason', 'others'],
];

async function refunding() {
  const stage = handOverStage();
  const payment = (await stage.merchant.payment()).id as string;
  const refunded = async () => (await stage.merchant.call('GET', `/payments/${payment}`)).amount_refunded as number;
  const argv = refundOf(payment);
  const ask = async (words: readonly string[] = argv) => handedOver(await stage.agent(words)).id as string;
  const approve = (id: string, answers = [YES]) => stage.person(['approve', id], answers);
  return {...stage, stage, payment, refunded, argv, ask, approve};
}

describe('a change is stored, approved and told once:', () => {
  test.each(['copy as a bill', 'refund of the rest', 'webhook deleted', 'import of stdin', 'several ids of stdin'])(
    '%s',
    async (name) => {
      const {approved} = await checkKind(kindNamed(name));
      expect(approved.status).toBe(0);
    },
  );

  test("a webhook's secret is shown to the person, not to the agent", async () => {
    const {approved, told, argv, stage} = await checkKind(kindNamed('webhook'));
    expect(approved.screen).toMatch(/whsk_\w{9}/);
    const {id} = JSON.parse(told.stdout);
    errorOf(await stage.agent(['webhooks', 'get', id, '--reveal']), 12, 'agent');
    errorOf(await stage.agent([...argv, '--reveal', '--idempotency-key', 'k']), 12, 'agent');
  });
});

describe('sequences:', () => {
  test('₱100 on Monday, told, and ₱100 on Wednesday: two hand-overs, two refunds', async () => {
    const {agent, argv, ask, approve, later, refunded} = await refunding();
    const first = await ask();
    expect((await approve(first)).status).toBe(0);
    expect(JSON.parse((await agent(argv)).stdout)).toMatchObject({already: true, hand_over: first});
    later(2 * DAY);
    const second = await ask();
    expect(second).not.toBe(first);
    const approved = await approve(second);
    expect(approved.status, approved.screen).toBe(0);
    expect(await refunded()).toBe(20_000);
  });

  test('approved on Friday, asked again on Monday for the first time: told, and not stored again', async () => {
    const {agent, argv, ask, approve, later, refunded} = await refunding();
    const id = await ask();
    await approve(id);
    later(3 * DAY);
    expect(JSON.parse((await agent(argv)).stdout)).toMatchObject({already: true, hand_over: id, amount: 10_000});
    expect(await ask()).not.toBe(id);
    expect(await refunded()).toBe(10_000);
  });

  test('asked on Friday and again on Saturday, unapproved: one hand-over', async () => {
    const {ask, later, person} = await refunding();
    const id = await ask();
    later(DAY);
    expect(await ask()).toBe(id);
    const list = await person(['approve', '--list'], []);
    expect(list.stdout.match(/ho_\w+/g)).toEqual([id]);
  });

  test("an agent's own key makes another one within the window, and is the key of the change", async () => {
    const {agent, argv, ask, approve, refunded} = await refunding();
    const first = await ask();
    await approve(first);
    const keyed = [...argv, '--idempotency-key', 'second'];
    const second = await ask(keyed);
    expect(second).not.toBe(first);
    const approved = await approve(second);
    expect(approved.status, approved.screen).toBe(0);
    expect(approved.screen).toMatch(/although\s+₱100\.00\s+of\s+\S+\s+was\s+refunded/);
    expect(await refunded()).toBe(20_000);
    const told = JSON.parse((await agent(keyed)).stdout);
    expect(told).toMatchObject({already: true, hand_over: second, id: expect.stringMatching(/^re_/)});
  });

  test('the person sees the command of the agent, and a key does not hide an equal bill', async () => {
    const {agent, merchant, person} = handOverStage();
    const {id: customer} = await merchant.customer();
    const argv = ['bill', customer, '--item', 'Rent @ 500', '--due', '2031-01-15', '--finalize'];
    const first = handedOver(await agent(argv));
    const second = handedOver(await agent([...argv, '--idempotency-key', 'rent-1']));
    const done = await person(['approve', first.id], [YES]);
    expect(done.screen.replaceAll(/\s+/g, ' ')).toContain("'--item=Rent @ 500' --due=2031-01-15 --finalize");
    expect(done.screen).not.toContain('although');
    errorCode(await person(['approve', second.id], [NO]), 12, 'although');
  });

  test('of several statements it names no customer', async () => {
    const {agent, merchant} = handOverStage();
    const {id: juan} = await merchant.customer();
    const {id: ana} = await merchant.customer({name: 'Ana Reyes'});
    const of = async (customer_id: string) => (await merchant.open({customer_id})).id as string;
    const ids = [await of(juan), await of(ana)];
    const customerOf = async (some: string[]) =>
      handedOver(await agent(['billing-statements', 'void', ...some])).customer as string | null;
    expect(await customerOf(ids)).toBeNull();
    expect(await customerOf(ids.slice(1))).toBe('Ana Reyes');
  });

  test('a key of another change is refused at once, and nothing is stored', async () => {
    const {agent, argv, ask, approve, payment, person} = await refunding();
    await approve(await ask([...argv, '--idempotency-key', 'k']));
    const error = errorOf(
      await agent([...refundOf(payment, '50'), '--idempotency-key', 'k']),
      12,
      'idempotency_mismatch',
    );
    expect(error.next).toEqual([['get', expect.stringMatching(/^re_/)]]);
    expect((await person(['approve', '--list'], [])).stdout.match(/ho_\w+/g)).toHaveLength(1);
  });

  test('a key that cannot be one is refused at once', async () => {
    const {agent, argv} = await refunding();
    errorOf(await agent([...argv, '--idempotency-key', 'with space']), 2, 'invalid_key');
    errorOf(
      await agent(['billing-statements', 'send', 'bstm_1', 'bstm_2', '--idempotency-key', 'k']),
      2,
      'invalid_flag',
    );
  });

  test('approved by two people at once: once', async () => {
    const {ask, approve, person, refunded} = await refunding();
    const id = await ask();
    let second: Awaited<ReturnType<typeof person>> | undefined;
    const first = await person(['approve', id], [YES], {meanwhile: async () => (second = await approve(id, []))});
    expect(first.status).toBe(0);
    errorCode(second!, 12, 'is being run by another process');
    expect(await refunded()).toBe(10_000);
  });

  test('while a person looks at it, the agent is told that it is in progress', async () => {
    const {agent, argv, ask, person} = await refunding();
    const id = await ask();
    let busy: Awaited<ReturnType<typeof agent>> | undefined;
    await person(['approve', id], [NO], {meanwhile: async () => (busy = await agent(argv))});
    expect(errorOf(busy!, 12, 'in_progress')).toMatchObject({retryable: true, hand_over: {id, state: 'claimed'}});
  });

  test('in another data folder: refused, with the folder named', async () => {
    const {ask, person} = await refunding();
    const id = await ask();
    const folder = temporaryDirectory();
    errorCode(await person(['approve', id], [YES], {folder}), 3, `was not found in ${folder}`);
  });

  test('of another account: refused', async () => {
    const {ask, person, applied} = await refunding();
    const id = await ask();
    const env = {CENTAVO_SECRET_KEY: 'sk_live_AnotherMadeUp0123456789abcdef'};
    errorCode(await person(['approve', id], [YES], {env}), 12, 'is a change of another account');
    expect(applied).toEqual([]);
  });

  test('an equal refund by hand while one is open: the person is told, and asked', async () => {
    const {argv, ask, approve, person, refunded, agent} = await refunding();
    const id = await ask();
    expect((await person([...argv, '--live'], [YES])).status).toBe(0);
    const no = await approve(id, [NO]);
    errorCode(no, 12, 'although');
    expect(await refunded()).toBe(10_000);
    expect(handedOver(await agent(argv)).id).toBe(id);
    expect((await approve(id)).status).toBe(0);
    expect(await refunded()).toBe(20_000);
  });

  test('approve says how much another refund has returned since', async () => {
    const {agent, merchant, person} = handOverStage();
    const {id: statement} = await merchant.open();
    const {payment} = controlOf(merchant.sandbox).pay(statement as string, {});
    const words = ['refund', statement as string, '--amount', '100', '--reason', 'fraudulent'];
    const {id} = handedOver(await agent(words));
    const other = {amount: 5000, currency: 'PHP', payment_id: payment!.id, reason: 'others'};
    await merchant.call('POST', '/refunds', other);
    errorCode(await person(['approve', id], [YES]), 0, 'and ₱50.00 of it refunded.');
  });

  test('one key, and another amount approved under it: the second ends, and was not made', async () => {
    const {ask, approve, agent, payment, refunded} = await refunding();
    const [one, other] = ['100', '200'].map((amount) => [...refundOf(payment, amount), '--idempotency-key', 'k']);
    const ids = [await ask(one), await ask(other)];
    expect((await approve(ids[0]!)).status).toBe(0);
    errorCode(await approve(ids[1]!, []), 12, 'the key "k" stands for another change');
    errorOf(await agent(other!), 12, 'idempotency_mismatch');
    expect(await refunded()).toBe(10_000);
  });

  test('"No" leaves it open', async () => {
    const {agent, argv, ask, approve, applied} = await refunding();
    const id = await ask();
    errorCode(
      await approve(id, [NO]),
      12,
      `not confirmed. Nothing was changed. To end this change: centavo approve --reject ${id}`,
    );
    const again = await agent(argv);
    expect(handedOver(again).id).toBe(id);
    expect(again.stderr).toContain('A person answered no on ');
    expect(applied).toEqual([]);
  });

  test('refused by the service: asked again, a new one says so', async () => {
    const {agent, argv, ask, person} = await refunding();
    const id = await ask();
    expect((await person(['approve', id], [YES], {fault: {status: 400}})).status).toBe(5);
    const again = await agent(argv);
    expect(handedOver(again).id).not.toBe(id);
    expect(again.stderr).toMatch(new RegExp(`The last one, ${id}, failed \\(\\w+\\) on`));
  });

  test('not sent for another reason: it waits on', async () => {
    const {ask, approve, cut, refunded} = await refunding();
    const id = await ask();
    cut(true);
    expect((await approve(id)).status).toBe(8);
    cut(false);
    expect(await ask()).toBe(id);
    expect((await approve(id)).status).toBe(0);
    expect(await refunded()).toBe(10_000);
  });

  test('rejected: asked again, a new one says so', async () => {
    const {agent, argv, ask, person, applied} = await refunding();
    const id = await ask();
    const rejected = await person(['approve', '--reject', id]);
    errorCode(rejected, 0, 'Nothing was sent.');
    errorCode(await person(['approve', id]), 12, 'was rejected');
    const again = await agent(argv);
    expect(handedOver(again).id).not.toBe(id);
    expect(again.stderr).toContain(`The last one, ${id}, was rejected on`);
    expect(applied).toEqual([]);
  });

  test('after 7 days it has expired, and its copies are gone', async () => {
    const {stage, agent, later, person, home} = await refunding();
    const argv = ['billing-statements', 'import', fileOf(stage), '--send'];
    const {id} = handedOver(await agent(argv));
    const holdsName = () => readFileSync(join(home, 'repeats.db')).includes('ana@example.com');
    expect(holdsName()).toBe(true);
    later(7 * DAY + 60);
    errorCode(await person(['approve', id]), 12, 'has expired');
    expect(holdsName()).toBe(false);
    const again = await agent(argv);
    expect(handedOver(again).id).not.toBe(id);
    expect(again.stderr).toContain(`${id}, was expired`);
  });

  test('an outcome that is not known: exit 10 for the agent; approved again, the person says', async () => {
    const {agent, argv, ask, approve, person, refunded} = await refunding();
    const id = await ask();
    const other = await ask([...argv, '--idempotency-key', 'second']);
    expect((await person(['approve', id], [YES], {fault: 'lost'})).status).toBe(10);
    expect(errorOf(await agent(argv), 10, 'outcome_unknown')).toMatchObject({
      applied: 'unknown',
      needs_person: true,
      hand_over: {id, state: 'unknown'},
    });
    const again = await approve(id, [[/was the change made\?/, '\u001B[B\r']]);
    expect(again.status, again.screen).toBe(0);
    expect(JSON.parse((await agent(argv)).stdout)).toMatchObject({already: true});
    errorCode(await approve(other, [NO]), 12, 'although');
    expect(await refunded()).toBe(10_000);
  });
});

test('an email of unknown outcome, then a no: no process is said to be killed', async () => {
  const {agent, merchant, person} = handOverStage();
  const {id: customer} = await merchant.customer();
  const argv = ['bill', customer, '--item', 'Rent @ 500', '--due', '2031-01-15', '--send'];
  const {id} = handedOver(await agent(argv));
  expect((await person(['approve', id], [YES], {fault: 'lost'})).status).toBe(10);
  errorCode(await person(['approve', id], [NO]), 12, 'not confirmed');
  expect(errorOf(await agent(argv), 10, 'outcome_unknown').message).toContain('It may have been made.');
});

test('an outcome that is not known can be rejected, and stays a repeat that a person decides', async () => {
  const {agent, argv, ask, person, refunded} = await refunding();
  const id = await ask();
  await person(['approve', id], [YES], {fault: 'lost'});
  errorCode(await person(['approve', '--reject', id]), 0, 'It may have been made before');
  expect(errorOf(await agent(argv), 12, 'repeated_refund')).toMatchObject({needs_person: true});
  expect(await refunded()).toBe(10_000);
});

describe('what is stored', () => {
  test('a due date counts from the day of asking', async () => {
    const {agent, later, merchant, person} = handOverStage();
    const {id: customer} = await merchant.customer();
    const argv = [
      'billing-statements',
      'create',
      '--customer',
      customer,
      '--item',
      'Rent @ 500',
      '--due',
      '+7d',
      '--finalize',
    ];
    const {id} = handedOver(await agent(argv));
    const asked = merchant.sandbox.now();
    later(3 * DAY);
    expect((await person(['approve', id], [YES])).status).toBe(0);
    const {data} = await merchant.call('GET', '/billing_statements');
    expect((data[0].due_at - asked) / DAY).toBeGreaterThan(7);
    expect((data[0].due_at - asked) / DAY).toBeLessThan(8.01);
  });

  test('a name stands for the customer of then', async () => {
    const {agent, merchant, person} = handOverStage();
    const {id: customer} = await merchant.customer();
    const argv = [
      'billing-statements',
      'create',
      '--customer',
      'Juan Dela Cruz',
      '--item',
      'Rent @ 500',
      '--due',
      '2031-01-15',
      '--finalize',
    ];
    const {id} = handedOver(await agent(argv));
    await merchant.customer({email: 'other@example.com'});
    const approved = await person(['approve', id], [YES]);
    expect(approved.status, approved.screen).toBe(0);
    const {data} = await merchant.call('GET', '/billing_statements');
    expect(data).toMatchObject([{customer: {id: customer}}]);
  });

  test.each(['changed', 'gone'])('a file that is %s since: its copy counts', async (how) => {
    const stage = handOverStage();
    const file = fileOf(stage);
    const {id} = handedOver(await stage.agent(['billing-statements', 'import', file, '--finalize']));
    if (how === 'gone') rmSync(file);
    else writeFileSync(file, ROWS.replace('5000', '9000'));
    const approved = await stage.person(['approve', id], [YES]);
    expect(approved.status, approved.screen).toBe(0);
    const {data} = await stage.merchant.call('GET', '/billing_statements');
    expect(data.map(({amount}: {amount: number}) => amount).toSorted()).toEqual([500_000, 600_000]);
  });

  test("an import's result stands beside its file", async () => {
    const stage = handOverStage();
    mkdirSync(join(stage.home, 'shop'));
    const file = fileOf(stage, 'shop/rent.csv');
    const typed = relative(process.cwd(), file);
    const {id} = handedOver(await stage.agent(['billing-statements', 'import', typed, '--finalize']));
    const stored = openDatabase(join(stage.home, 'repeats.db'));
    expect(stored.get<{argv: string}>('SELECT argv FROM hand_over')!.argv).toContain(`"${file}"`);
    stored.close();
    expect((await stage.person(['approve', id], [YES])).status).toBe(0);
    expect(existsSync(join(stage.home, 'shop/rent-result.csv'))).toBe(true);
  });

  test('the one job that can be resumed is stored by its id', async () => {
    const stage = handOverStage();
    const job = await billedJob(stage);
    expect(job).toMatch(/^job_/);
    const made = handedOver(await stage.agent(['jobs', 'void', job]));
    expect(made.command).toBe('jobs void');
  });
});

describe('approve', () => {
  test('lists at 80 columns and in JSON, and an agent may read it', async () => {
    const {agent, ask, person} = await refunding();
    const id = await ask();
    const {stdout} = await person(['approve', '--list'], []);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(new RegExp(`${id}.*open`));
    expect(JSON.parse((await agent(['approve', '--list'])).stdout).data).toMatchObject([
      {id, state: 'open', amount: 10_000},
    ]);
  });

  test('an agent cannot approve or reject, through a terminal either', async () => {
    const {agent, agentAtTerminal, ask, applied} = await refunding();
    const id = await ask();
    for (const words of [['approve', id], ['approve', '--reject', id], ['approve']]) {
      expect(errorOf(await agent(words), 12, 'needs_person').message).toContain('CLAUDECODE in process 7');
      errorCode(await agentAtTerminal(words, [YES]), 12, 'CLAUDECODE in process 7');
    }
    expect(applied).toEqual([]);
  });

  test('without a terminal: refused', async () => {
    const {script, ask} = await refunding();
    errorCode(await script(['approve', await ask()]), 12, 'No terminal is available');
  });

  test('with --dry-run: shows it, and it stays open', async () => {
    const {ask, person, applied} = await refunding();
    const id = await ask();
    const shown = await person(['approve', id, '--dry-run']);
    expect(shown.status, shown.screen).toBe(0);
    expect(shown.screen).toContain('this would');
    expect(await ask()).toBe(id);
    expect(applied).toEqual([]);
  });

  test('of several: asks which; of none: says so', async () => {
    const {ask, payment, person, refunded} = await refunding();
    errorCode(await person(['approve']), 2, 'no change waits');
    await ask();
    await ask(refundOf(payment, '200'));
    const approved = await person(['approve'], [[/Which change\?/, '\r'], YES]);
    expect(approved.status, approved.screen).toBe(0);
    expect(await refunded()).toBe(20_000);
  });
});

const asShop = async (stage: HandOverStage, ...settings: string[]) => {
  for (const [name = '', value = ''] of settings.map((each) => each.split('=')))
    await stage.person(['config', 'set', name, value, '--profile', 'env'], [YES]);
};

describe('agents allow', () => {
  const SET = ['config', 'set', 'agents', 'allow', '--profile', 'env'];

  test('only a person at a terminal can set it', async () => {
    const {agent, agentAtTerminal, script, person, argv, ask} = await refunding();
    expect((await agent(SET)).status).toBe(12);
    errorCode(
      await agentAtTerminal(SET, [YES]),
      12,
      'CLAUDECODE in process 7 shows an agent, so nothing can be asked.',
    );
    expect((await script(SET)).status).toBe(12);
    expect(await ask()).toMatch(/^ho_/);
    expect((await person(SET, [YES])).status).toBe(0);
    expect(errorOf(await agent(argv), 12, 'live_not_given').hand_over).toBeUndefined();
  });

  test('an agent then needs --live --yes, limits hold, and the history names it', async () => {
    const {stage, agent, argv, payment, refunded, script} = await refunding();
    await asShop(stage, 'agents=allow', 'max_amount=150');
    errorOf(await agent([...argv, '--live']), 12, 'cannot_confirm');
    errorOf(await agent([...refundOf(payment, '200'), '--live', '--yes']), 12, 'over_max_amount');
    const done = await agent([...argv, '--live', '--yes']);
    expect(done.status, done.stderr).toBe(0);
    expect(await refunded()).toBe(10_000);
    const {data} = JSON.parse((await script(['history', '--json', '--live'])).stdout);
    expect(data.find(({command}: {command: string}) => command === 'refunds create')).toMatchObject({
      agent: 'CLAUDECODE',
    });
  });

  test('no secret is shown to the agent all the same', async () => {
    const {stage, agent} = await refunding();
    await asShop(stage, 'agents=allow');
    const words = ['webhooks', 'create', '--url', 'https://shop.example/hook', '--events', 'billing_statement.paid'];
    const made = await agent([...words, '--json', '--live', '--yes']);
    expect(made.status, made.stderr).toBe(0);
    const {id, secret_key: secret} = JSON.parse(made.stdout) as {id: string; secret_key: string};
    expect(secret).toBe('whsk_[redacted]');
    errorOf(await agent(['webhooks', 'get', id, '--reveal', '--live']), 12, 'agent');
  });

  test('back to ask needs nobody', async () => {
    const {stage, agent, ask} = await refunding();
    await asShop(stage, 'agents=allow');
    expect((await agent(['config', 'set', 'agents', 'ask', '--profile', 'env'])).status).toBe(0);
    expect(await ask()).toMatch(/^ho_/);
  });
});

test('api, dev and listen are refused, without a hand-over', async () => {
  const {agent, payment, person} = await refunding();
  const words = ['api', 'POST', '/refunds', '-d', `payment_id=${payment}`, '-d', 'amount=100'];
  expect(errorOf(await agent([...words, '--live', '--yes']), 12, 'agent').hand_over).toBeUndefined();
  expect((await person(['approve', '--list'])).stdout).not.toContain('ho_');
});
