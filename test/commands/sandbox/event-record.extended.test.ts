// All commands and the studio show the same outcome of an event, even if its listener ended before it answered the sandbox.

import {once} from 'node:events';
import {createServer, type AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {listening} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {app} from '../../support/services/app.js';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {listenerRecordOf} from '../../../src/webhooks/store/listener-record.js';
import {openDeliveries} from '../../../src/webhooks/store/deliveries.js';
import {serveSandbox} from '../../../src/sandbox/serve/sandbox-server.js';

const wordsOf = (page: string): string =>
  page
    .replace(/<style[^]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');

/** Serves the studio with what the listeners of a folder recorded. Returns a function that reads a page. */
async function studioOf(directory: string, {sandbox}: Merchant) {
  const store = openDeliveries(`${directory}/deliveries.db`, {owner: {pid: process.pid, startedAt: 1}});
  const record = listenerRecordOf(store, {isAlive: () => false, nowMilliseconds: Date.now});
  const server = await serveSandbox(controlOf(sandbox), {port: 0, listenerRecord: async () => record});
  onTestFinished(async () => {
    await server.close();
    store.close();
  });
  return async (path: string) => wordsOf(await (await fetch(`${server.url}/${path}`)).text());
}

test('an event that the app accepted in the end is delivered in why, events, deliveries and the studio', async () => {
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory);
  const {port} = await app((_, count) => (count === 1 ? 500 : 200));
  const listener = listening(directory, ['--forward-to', `${port}/hook`, '--events', 'billing_statement.paid']);
  await listener.next('ready');
  const merchant = new Merchant(directory, () => Math.floor(Date.now() / 1000));
  onTestFinished(() => merchant.close());
  const {id} = await merchant.open();
  await run(['sandbox', 'pay', id as string]);
  const {event_id: event} = await listener.next('forward', ({attempt}) => attempt === 1);
  await listener.next('forward', ({attempt}) => attempt === 2);
  await listener.stop();
  await run(['sandbox', 'clock', 'advance', '3d']);

  const got = (await run(['sandbox', 'events', 'get', event, '--json'])).json<Record<string, any>>();
  expect(got.outcomes).toMatchObject([{outcome: 'delivered', target: `http://localhost:${port}/hook`, status: 200}]);
  expect(got.attempts).toMatchObject([{attempt: 1, status: 500, outcome: 'stored'}]);
  const list = (await run(['sandbox', 'events', 'list', '--json'])).json<{data: {id: string; outcome: string}[]}>();
  expect(list.data.find((each) => each.id === event)?.outcome).toBe('delivered');
  const delivery = (await run(['webhooks', 'deliveries', 'get', event, '--json'])).json<Record<string, any>>();
  expect(delivery).toMatchObject({outcome: 'delivered', attempts: [{attempt: 1}, {attempt: 2}]});
  // The sandbox's clock is ahead: its times are marked where times of this machine stand beside them.
  const why = (await run(['why', event])).stdout;
  expect(why).toContain('Times on the left are by the sandbox clock');
  expect(why).toContain(`your app at http://localhost:${port}/hook accepted it: 200`);

  const pageOf = await studioOf(directory, merchant);
  for (const page of ['', `studio/${event}`, `studio/${id as string}`, 'studio/events']) {
    const shown = await pageOf(page);
    expect(shown, page).toContain(`Your app at localhost:${port}/hook accepted it at attempt 2`);
    expect(shown, page).not.toContain('Dropped');
  }
});

test('an event that the app refused is retried until the sandbox gives up, and each page has the cause', async () => {
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory);
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(closing, 'listening');
  onTestFinished(() => void closing.close());
  const {port: closed} = closing.address() as AddressInfo;
  const refusing = await app(() => 401);
  const routes = [`billing_statement.paid=${refusing.port}/hook`, `payment_intent.*=127.0.0.1:${closed}/hook`];
  const events = 'billing_statement.paid,billing_statement.sent,payment_intent.succeeded';
  const listener = listening(directory, ['--events', events, '--no-retry', ...routes.flatMap((to) => ['--route', to])]);
  await listener.next('ready');
  const merchant = new Merchant(directory, () => Math.floor(Date.now() / 1000));
  onTestFinished(() => merchant.close());
  const {id} = await merchant.open();
  await run(['sandbox', 'pay', id as string]);
  const {event_id: refused} = await listener.next('forward', ({status}) => status === 401);
  const {event_id: unanswered} = await listener.next('forward', ({status}) => status !== 401);
  await run(['billing-statements', 'send', (await merchant.open()).id as string]);
  const {event_id: sent} = await listener.next('delivery', ({unrouted}) => unrouted);
  await listener.stop();

  const outcomeOf = async () => {
    const {outcomes} = (await run(['sandbox', 'events', 'get', refused, '--json'])).json<Record<string, any>>();
    return outcomes[0];
  };
  expect(await outcomeOf()).toMatchObject({outcome: 'retrying', status: 401});
  const unrouted = (await run(['why', sent, '--json'])).json<{finding: Record<string, string>}>();
  expect(unrouted.finding).toMatchObject({
    code: 'not_forwarded',
    next: `centavo webhooks replay ${sent} --forward-to 3000/webhooks`,
  });
  expect(unrouted.finding.message).toContain('The listener had no --forward-to, and no --route for this event.');

  const pageOf = await studioOf(directory, merchant);
  expect(await pageOf(`studio/${refused}`)).not.toContain('Given up');
  expect(await pageOf(`studio/${unanswered}`)).toContain('Your app closed the connection: see its log.');
  await run(['sandbox', 'clock', 'advance', '4d']);
  expect(await outcomeOf()).toMatchObject({outcome: 'given_up', status: 401});
});

test('why proposes the own target of a listener that ended, not that of another listener', async () => {
  const directory = temporaryDirectory(onTestFinished);
  const run = commandsIn(directory);
  const [mine, other] = [await app(() => 200), await app(() => 200)];
  const words = ['--events', 'billing_statement.paid', '--forward-to'];
  const running = listening(directory, [...words, `${other.port}/other`, '--name', 'other']);
  await running.next('ready');
  const killed = listening(directory, [...words, `${mine.port}/mine`, '--name', 'till'], {isProcess: true});
  await killed.next('ready');
  await killed.stop('SIGKILL');
  const merchant = new Merchant(directory, () => Math.floor(Date.now() / 1000));
  const {id} = await merchant.open();
  merchant.close();
  await run(['sandbox', 'pay', id as string]);
  await running.next('forward');
  const {finding} = (await run(['why', id as string, '--json'])).json<{finding: {next: string}}>();
  expect(finding.next).toBe(`centavo webhooks listen --forward-to ${mine.port}/mine --name till`);
  expect(await running.stop()).toBe(130);
});

test('why heads the event of an object that is no payment with its own status', async () => {
  const run = commandsIn(temporaryDirectory(onTestFinished));
  for (const [type, status] of [
    ['setup_intent.succeeded', 'succeeded'],
    ['payout.deposited', 'successful'],
  ]) {
    const {id} = (await run(['webhooks', 'trigger', type!, '--json'])).json<{id: string}>();
    expect((await run(['why', id])).stdout).toMatch(new RegExp(`^\\w+  ${status}\\b`));
  }
});
