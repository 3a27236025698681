// The sandbox sends only to this machine, because anyone who can call its API can register a webhook.

import {createServer} from 'node:net';
import type {AddressInfo} from 'node:net';
import {networkInterfaces} from 'node:os';
import {describe, expect, onTestFinished, test} from 'vitest';
import {commandsIn} from '../../support/commands.js';
import {temporaryDirectory} from '../../support/cli.js';
import {receiver, webhook} from '../../support/sandbox/receiver.js';
import {DAY, world, type World} from '../../support/sandbox/world.js';

const CREATED = 'billing_statement.created';

const attemptsOf = (w: World) =>
  w.sandbox.perform((work) => {
    const {id} = work.store.list('event', {limit: 1, where: ({type}) => type === CREATED}).data[0]!;
    return work.store.attempts.ofEvent(id);
  });

/** Counts connections to a port on any address of this machine. */
async function everywhere(): Promise<{port: number; count: () => number}> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  return {port: (server.address() as AddressInfo).port, count: () => count};
}

const OUTWARD = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({internal, family}) => !internal && family === 'IPv4')
  .map(({address}) => address);

describe('sends nothing', () => {
  test.for([
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '10.0.0.1',
    '192.168.1.1',
    '0',
    '0xa9fea9fe',
    ...OUTWARD,
  ])('to %s: records the reason, reports it once, and does not retry', async (host) => {
    const w = world();
    const trap = await everywhere();
    const said: string[] = [];
    const {id} = await webhook(w, `http://${host}:${trap.port}/hook`, CREATED);
    for (let count = 0; count < 3; count += 1) await w.draft();
    await w.sandbox.deliverDue({onRefused: (message) => said.push(message)});
    expect(attemptsOf(w)).toMatchObject([
      {
        status: null,
        outcome: 'refused',
        next_at: null,
        error: expect.stringMatching(
          / is not a loopback address. The sandbox sends events only to this machine, so nothing was sent$/,
        ),
      },
    ]);
    expect(said).toEqual([expect.stringContaining(`Events cannot be sent to the webhook ${id}: `)]);
    w.advance(DAY);
    await w.sandbox.deliverDue();
    expect(attemptsOf(w)).toHaveLength(1);
    expect(w.events().map(({pending_webhooks: pending}) => pending)).not.toContain(1);
    expect(trap.count()).toBe(0);
  });

  test('to the target of a redirect', async () => {
    const w = world();
    const trap = await everywhere();
    const hook = await receiver((_, response) =>
      response.writeHead(307, {location: `http://0.0.0.0:${trap.port}/`}).end(),
    );
    await webhook(w, hook.url, CREATED);
    await w.draft();
    await w.sandbox.deliverDue();
    expect(attemptsOf(w)).toMatchObject([{status: 307, outcome: 'retrying'}]);
    expect(trap.count()).toBe(0);
  });
});

test.for(['localhost', '127.0.0.1', '127.1', '2130706433'])('sends to %s', async (host) => {
  const w = world();
  const hook = await receiver();
  await webhook(w, hook.url.replace('127.0.0.1', host), CREATED);
  await w.draft();
  await w.sandbox.deliverDue();
  expect(hook.arrivals).toHaveLength(1);
});

test('sends an event once its webhook gets a local address', async () => {
  const w = world();
  const hook = await receiver();
  const {id} = await webhook(w, 'http://10.0.0.1/hook', CREATED);
  await w.draft();
  await w.sandbox.deliverDue();
  await w.ok('PUT', `/webhooks/${id}`, {url: hook.url});
  const event = w.events().find(({type}) => type === CREATED);
  expect(await w.sandbox.resendEvent(event!.id as string)).toMatchObject([{outcome: 'delivered'}]);
});

test('the command that caused the event reports it', async () => {
  const run = commandsIn(temporaryDirectory());
  await run(['webhooks', 'create', '--url', 'http://169.254.169.254/hook', '--events', 'refund.created']);
  const {status, stderr} = await run(['webhooks', 'trigger', 'refund.created']);
  expect(status).toBe(0);
  expect(stderr).toContain('169.254.169.254 is not a loopback address');
  const [event] = (await run(['sandbox', 'events', 'list', '--type', 'refund.created', '--json'])).json().data;
  const resent = await run(['sandbox', 'events', 'resend', event.id]);
  expect(resent.status).toBe(6);
  expect(resent.stderr).toContain('169.254.169.254 is not a loopback address');
});
