// Sandbox events in commands: delivery before a command ends, and `sandbox events` list, get and resend.

import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {openDeliveries} from '../../../src/webhooks/store/deliveries.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {freePort} from '../../support/free-port.js';
import {receiver} from '../../support/sandbox/receiver.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {watch} from '../../support/processes.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const seconds = (): number => Math.floor(Date.now() / 1000);

async function listening(answer: Parameters<typeof receiver>[0], ...events: string[]) {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  const hook = await receiver(answer);
  const webhook = await merchant.call('POST', '/webhooks', {url: hook.url, events});
  return {directory, merchant, hook, webhook, run: commandsIn(directory)};
}

describe('a command', () => {
  test('delivers its events before it ends, past any proxy, signed with the current time', async () => {
    const {merchant, hook, webhook, run} = await listening(200, 'billing_statement.paid', 'payment_intent.succeeded');
    const {id} = await merchant.open();
    merchant.sandbox.setClock(merchant.sandbox.now() + 90 * 86_400);
    const env = {http_proxy: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1'};
    const result = await run(['sandbox', 'pay', id as string, '--json'], {env});
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(hook.types()).toEqual(['payment_intent.succeeded', 'billing_statement.paid']);
    for (const {body, headers} of hook.arrivals) {
      const header = [String(headers['payrex-signature'])];
      const verdict = inspectSignature({body, header, secrets: [webhook.secret_key as string], now: seconds()});
      expect(verdict).toMatchObject({genuine: true, mode: 'test'});
    }
    merchant.close();
  });

  test('is not changed by a silent receiver, and waits for it up to three seconds', async () => {
    const {merchant, hook, run} = await listening('hang', 'billing_statement.paid');
    const [first, second] = [await merchant.open(), await merchant.open()];
    const hanging = await run(['sandbox', 'pay', first.id as string, '--json']);
    expect(hanging).toMatchObject({status: 0, stderr: ''});
    expect(hanging.json()).toMatchObject({result: 'paid', billing_statement: {id: first.id, status: 'paid'}});
    expect(hook.arrivals).toHaveLength(1);
    const event = hook.arrivals[0]!.event.id as string;
    const [attempt] = merchant.sandbox.perform((work) => work.store.attempts.ofEvent(event));
    // The limit of one attempt is ten seconds, and would be reported.
    expect(attempt!.error).toBe('stopped before it responded');
    const failing = await run(['sandbox', 'pay', first.id as string]);
    expect(failing).toMatchObject({status: 5, stdout: ''});
    hook.answer = 'reset';
    const reset = await run(['sandbox', 'pay', second.id as string]);
    expect(reset).toMatchObject({status: 0, stderr: ''});
    expect(reset.stdout).toContain(second.id as string);
    merchant.close();
  });

  test('retries failed deliveries after the clock moves', async () => {
    const {merchant, hook, run} = await listening(500, 'billing_statement.finalized', 'billing_statement.overdue');
    const {id} = await merchant.draft();
    await run(['billing-statements', 'finalize', id as string]);
    expect(hook.types()).toEqual(['billing_statement.finalized']);
    hook.answer = 200;
    expect((await run(['sandbox', 'clock', 'advance', '20d', '--json'])).status).toBe(0);
    expect(hook.types().slice(1)).toEqual(['billing_statement.finalized', 'billing_statement.overdue']);
    merchant.close();
  });

  test('also delivers while `sandbox serve` runs; faults apply only to requests to the server', async () => {
    const {directory, merchant, hook, run} = await listening(
      200,
      'billing_statement.created',
      'billing_statement.paid',
    );
    const {id} = await merchant.open();
    const {id: customer} = await merchant.customer();
    await merchant.sandbox.deliverDue();
    const server = watch(directory, ['sandbox', 'serve', '--port', '0', '--json', '--faults', 'duplicate-webhook=1']);
    await server.until(/"type":"ready"/);
    expect((await run(['sandbox', 'pay', id as string])).status).toBe(0);
    expect(hook.types()).toEqual(['billing_statement.created', 'billing_statement.paid']);

    const created = await fetch(`${merchant.sandbox.baseUrl()}/billing_statements`, {
      method: 'POST',
      headers: {authorization: `Basic ${btoa(`${merchant.sandbox.keys.secret}:`)}`, 'content-type': 'application/json'},
      body: JSON.stringify({customer_id: customer, currency: 'PHP'}),
    });
    expect(created.status).toBe(200);
    await hook.until(4);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({status: 143});
    expect(new Set(hook.arrivals.slice(2).map(({event}) => event.id)).size).toBe(1);
    merchant.close();
  });
});

describe('sandbox events', () => {
  const directory = temporaryDirectory(afterAll);
  const run = commandsIn(directory);
  const events = (...words: string[]) => run(['sandbox', 'events', ...words]);
  let merchant: Merchant;
  let paid: string;
  beforeAll(async () => {
    merchant = new Merchant(directory);
    const {id} = await merchant.open();
    controlOf(merchant.sandbox).pay(id as string, {});
    paid = (await merchant.sandbox.listEvents({limit: 1})).data[0]!.id;
  });
  afterAll(() => merchant.close());

  test('list: newest first, in every format, with and without the verb', async () => {
    const whole = (await events('list', '--json')).json();
    expect(whole.data.map(({type}: {type: string}) => type)).toEqual([
      'billing_statement.paid',
      'payment_intent.succeeded',
      'billing_statement.finalized',
      'billing_statement.updated',
      'billing_statement_line_item.created',
      'billing_statement.created',
    ]);
    expect((await events('--json')).json()).toEqual(whole);
    const [row] = (await events('list', '--limit', '1')).stdout.trim().split('\n');
    expect(row!.split('\t')).toEqual([
      paid,
      'billing_statement.paid',
      whole.data[0].data.id,
      '0',
      expect.any(String),
      'command',
      '0',
      'no webhook',
    ]);
    expect((await events('--type', 'billing_statement.created', '-o', 'csv')).stdout).toMatch(
      /^id,type,data\.id,pending_webhooks,created_at,cause,webhooks,outcome\r\nevt_\w+,billing_statement\.created,bstm_\w+,0,\d{4}-[^,]+,req_\w+,0,no webhook\r\n$/,
    );
    expect((await events('list', '-o', 'table')).stdout).toMatch(
      /^TYPE +CREATED +OUTCOME +ID.*\n(billing|payment).* no webhook +evt_\w+/,
    );
    const misspelt = await events('list', '--type', 'billing_statement.payed');
    expect(misspelt).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean billing_statement.paid?'),
    });
    const beginning = `${paid.slice(0, 14)}…`;
    expect((await events('get', beginning, '--json')).json().event.id).toBe(paid);
    // Commands accept the shortened id.
    expect((await events('resend', beginning)).stderr).toContain(`Error: ${paid} has no webhook to send to.`);
  });

  test('get: the event and its attempts', async () => {
    const hook = await receiver(500);
    await merchant.call('POST', '/webhooks', {url: hook.url, events: ['refund.created']});
    await merchant.refund();
    await merchant.sandbox.deliverDue();
    const {id} = (await merchant.sandbox.listEvents({limit: 1})).data[0]!;
    expect((await events('get', id, '--json')).json()).toMatchObject({
      event: {id, type: 'refund.created', pending_webhooks: 1},
      pending: [{attempts: 1}],
      attempts: [{attempt: 1, status: 500, outcome: 'retrying', url: hook.url}],
    });
    const shown = (await events('get', id, '-o', 'table')).stdout;
    expect(shown).toMatch(/retrying/);
    expect(shown).toMatch(/^Still to be sent$/m);
    hook.answer = 200;
    const again = await events('resend', id, '--json');
    expect(again).toMatchObject({status: 0, stderr: ''});
    expect(again.rows()).toMatchObject([{attempt: 2, status: 200, outcome: 'delivered'}]);
    hook.answer = 410;
    const refused = await events('resend', id);
    expect(refused.status).toBe(6);
    expect(refused.stdout).toMatch(/given_up\t410/);
    expect(refused.stderr).toContain('It answered 410');
    expect(hook.arrivals).toHaveLength(3);
  });

  test('resend: a listener reports a duplicate, and how to replay it to the app', async () => {
    const hook = await receiver((_, response) => void response.writeHead(200).end('The app already has this event.\n'));
    const {id: webhook} = await merchant.call('POST', '/webhooks', {url: hook.url, events: ['billing_statement.paid']});
    const again = await events('resend', paid, '--webhook', webhook as string);
    expect(again).toMatchObject({status: 0, stdout: expect.stringContaining('delivered\t200')});
    expect(again.stderr).toBe(
      `The listener at ${new URL(hook.url).host} answered: The app already has this event. To send it to your app again: centavo webhooks replay ${paid}\n`,
    );
    expect(await events('resend', paid, '--json')).toMatchObject({status: 0, stderr: ''});
    await merchant.call('DELETE', `/webhooks/${webhook}`);
  });

  test('resend: reports a stopped listener, and the command that starts it', async () => {
    const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
    const port = await freePort();
    store.endpoints.save({profile: 'sandbox', mode: 'sandbox', name: 'till'}, {port, token: 'token_of_till'});
    store.close();
    const url = `http://127.0.0.1:${port}/token_of_till`;
    const {id: webhook} = await merchant.call('POST', '/webhooks', {url, events: ['billing_statement.paid']});
    const failed = await events('resend', paid, '--webhook', webhook as string);
    expect(failed.status).toBe(6);
    expect(failed.stderr).toContain(
      'This is a listener that is not running.\n  To start it: centavo webhooks listen --forward-to 3000/webhooks --name till\n',
    );
    await merchant.call('DELETE', `/webhooks/${webhook}`);
  });

  test.for([
    [['get'], 2],
    [['get', 'bstm_7Hq2'], 2],
    [['get', 'evt_none'], 3],
    [['resend'], 2],
    [['resend', 'evt_none'], 3],
    [['list', '--limit', '0'], 2],
    [['resend', 'PAID'], 5],
    [['resend', 'PAID', '--webhook', 'bstm_7Hq2'], 2],
    [['resend', 'PAID', '--webhook', 'wh_none'], 3],
  ] as [string[], number][])('%j is exit %i', async ([words, status]) => {
    const result = await events(...words.map((word) => (word === 'PAID' ? paid : word)));
    expect(result).toMatchObject({status, stdout: ''});
  });

  test('lists nothing in an empty sandbox, without an error', async () => {
    const empty = commandsIn(temporaryDirectory());
    expect(await empty(['sandbox', 'events'])).toMatchObject({status: 0, stdout: '', stderr: ''});
    expect((await empty(['sandbox', 'events', '--json'])).json()).toEqual({
      resource: 'list',
      has_more: false,
      data: [],
    });
  });
});
