// `sandbox serve --event-shape resource`: each command that shows a delivery reads the older documented shape.

import {expect, onTestFinished, test} from 'vitest';
import {commandsIn} from '../../support/commands.js';
import {temporaryDirectory} from '../../support/cli.js';
import {listeningProcess, running, said} from '../../support/scenarios/listening.js';
import {watch} from '../../support/processes.js';
import {app} from '../../support/services/app.js';

test('listen, deliveries, why, verify and the studio read the older shape', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const settings = ['--event-shape', 'resource', '--fees', 'none'];
  const served = running(directory, ['sandbox', 'serve', '--port', '0', '--json', ...settings], {isProcess: true});
  const {url, secret_key: key} = await served.next('ready');

  const customer = await app();
  const listener = listeningProcess(directory, ['--print-secret', '--reveal', '--forward-to', `${customer.port}/hook`]);
  const {secret} = await listener.next('ready');
  const headers = {authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`};
  const body = new URLSearchParams({amount: '155000', currency: 'PHP'});
  const created = await fetch(`${url}/payment_intents`, {method: 'POST', headers, body});
  const {id} = (await created.json()) as {id: string};
  const paid = await run(['sandbox', 'pay', id, '--method', 'gcash', '--json']);
  expect(paid.json().payment).toMatchObject({fee: 0, net_amount: 155_000});

  const delivery = await listener.next('delivery');
  expect(delivery).toMatchObject({event_type: 'payment_intent.succeeded', verdict: 'genuine'});
  await listener.next('forward', ({status}) => status === 200);
  const text = Buffer.from(delivery.body_base64, 'base64').toString();
  expect(customer.hits[0]!.body.toString()).toBe(text);
  const event = JSON.parse(text);
  expect(Object.keys(event.data)).toEqual(['resource', 'previous_attributes']);
  expect(event.data.resource).toMatchObject({id, status: 'succeeded'});

  const shown = await run(['webhooks', 'deliveries', 'get', delivery.delivery_id, '--json']);
  expect(shown.json()).toMatchObject({object_id: id});
  const why = await run(['why', id]);
  expect(why.stdout).toContain('payment_intent.succeeded');
  expect(why.stdout).toContain('accepted it: 200');
  const [, signature] = (delivery.headers as [string, string][]).find(([name]) => name === 'Payrex-Signature')!;
  const verified = await run(['webhooks', 'verify', '--header', `Payrex-Signature: ${signature}`, '--json'], {
    env: {CENTAVO_WEBHOOK_SECRET: secret},
    input: text,
  });
  expect(verified.json()).toMatchObject({genuine: true});
  const studio = await run(['sandbox', 'open']);
  const page = await (await fetch(`${studio.stdout.trim()}${event.id}`)).text();
  expect(page).toMatch(/&quot;data&quot;: \{\s+&quot;resource&quot;: \{/);
  expect(page).toMatch(/Succeeded/);

  await served.stop();
  expect((await run(['sandbox', 'reset', '--yes'])).status).toBe(0);
  const again = watch(directory, ['sandbox', 'serve', '--port', '0']);
  onTestFinished(() => void again.child.kill('SIGKILL'));
  await said(again, /^Fees: none\. For the default: centavo sandbox serve --fees standard$/m);
  await said(again, /^Event shape: resource\. For the default: centavo sandbox serve --event-shape data$/m);
});
