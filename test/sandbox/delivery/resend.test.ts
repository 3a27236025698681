// Resending an event, whether or not it was delivered before.

import {expect, test} from 'vitest';
import {getEvent, listEvents} from '../../../src/sandbox/delivery/event-reports.js';
import {receiver, verdictOf, webhook} from '../../support/sandbox/receiver.js';
import {START, world} from '../../support/sandbox/world.js';

const CREATED = 'billing_statement.created';

async function delivered() {
  const w = world();
  const hook = await receiver();
  const {id: webhookId, secret_key: secret} = await webhook(w, hook.url, CREATED);
  await w.draft();
  await w.sandbox.deliverDue();
  const id = hook.arrivals[0]!.event.id as string;
  return {w, hook, secret: secret as string, webhookId: webhookId as string, id};
}

test('resends a delivered event, and returns the attempt', async () => {
  const {w, hook, secret, webhookId, id} = await delivered();
  expect(await w.sandbox.resendEvent(id)).toMatchObject([
    {event_id: id, webhook_id: webhookId, attempt: 2, status: 200, outcome: 'delivered'},
  ]);
  expect(hook.arrivals).toHaveLength(2);
  expect(hook.arrivals[1]!.event).toMatchObject({id, pending_webhooks: 0});
  expect(verdictOf(hook.arrivals[1]!, secret, START)).toMatchObject({genuine: true});
});

test('a failed resend is not retried, and nothing is pending', async () => {
  const {w, hook, id} = await delivered();
  hook.answer = 503;
  expect(await w.sandbox.resendEvent(id)).toMatchObject([{status: 503, outcome: 'given_up', next_at: null}]);
  w.advance(86_400);
  await w.sandbox.deliverDue();
  expect(hook.arrivals).toHaveLength(2);
  const report = w.sandbox.perform((work) => getEvent(work, id));
  expect(report).toMatchObject({event: {pending_webhooks: 0}, pending: [], attempts: [{attempt: 1}, {attempt: 2}]});
});

test('a pending retry is made now, and later retries follow', async () => {
  const w = world();
  const hook = await receiver(500);
  await webhook(w, hook.url, CREATED);
  await w.draft();
  await w.sandbox.deliverDue();
  const id = hook.arrivals[0]!.event.id as string;
  expect(await w.sandbox.resendEvent(id)).toMatchObject([{attempt: 2, outcome: 'retrying', next_at: START + 20}]);
  const report = w.sandbox.perform((work) => getEvent(work, id));
  expect(report.pending).toMatchObject([{attempts: 2, next_at: START + 20}]);
  hook.answer = 200;
  expect(await w.sandbox.resendEvent(id)).toMatchObject([{attempt: 3, outcome: 'delivered'}]);
  w.advance(86_400);
  await w.sandbox.deliverDue();
  expect(hook.arrivals).toHaveLength(3);
});

test('resends to one webhook, or to all current subscribers', async () => {
  const {w, hook, id} = await delivered();
  const later = await receiver();
  const {id: laterId} = await webhook(w, later.url, CREATED);
  await w.sandbox.resendEvent(id, {webhook: laterId as string});
  expect([hook.arrivals.length, later.arrivals.length]).toEqual([1, 1]);
  expect(await w.sandbox.resendEvent(id)).toHaveLength(2);
  expect([hook.arrivals.length, later.arrivals.length]).toEqual([2, 2]);
});

test('refuses while the event is being sent, without a subscriber, and for an unknown event', async () => {
  const {w, hook, webhookId, id} = await delivered();
  hook.answer = 'hang';
  const first = w.sandbox.resendEvent(id, {timeout: 1000});
  await hook.until(2);
  await expect(w.sandbox.resendEvent(id)).rejects.toMatchObject({kind: 'rejected', details: {retryable: true}});
  expect(await first).toMatchObject([{status: null, error: 'no response within 1 s'}]);

  const other = await webhook(w, hook.url, 'refund.created');
  await expect(w.sandbox.resendEvent(id, {webhook: other.id})).rejects.toMatchObject({kind: 'rejected'});
  await expect(w.sandbox.resendEvent(id, {webhook: 'wh_none'})).rejects.toMatchObject({kind: 'not_found'});
  await expect(w.sandbox.resendEvent('evt_none')).rejects.toMatchObject({kind: 'not_found'});
  await w.ok('POST', `/webhooks/${webhookId}/disable`);
  await expect(w.sandbox.resendEvent(id, {webhook: webhookId})).rejects.toThrow(/cannot be sent/);
  await expect(w.sandbox.resendEvent(id)).rejects.toThrow(/no webhook to send to/);
  expect(hook.arrivals).toHaveLength(2);
});

test('lists events newest first, all or of one type', async () => {
  const {w} = await delivered();
  const list = (limit: number, type?: string) => w.sandbox.perform((work) => listEvents(work, {limit, type}));
  const all = list(10);
  expect(all.data.map(({id}) => id)).toEqual(
    w
      .events()
      .map(({id}) => id)
      .reverse(),
  );
  expect(list(1)).toMatchObject({has_more: true, data: [{type: w.types().at(-1)}]});
  expect(list(10, CREATED).data.map(({type}) => type)).toEqual([CREATED]);
  expect(list(10, 'nonsense')).toEqual({resource: 'list', has_more: false, data: []});
});
