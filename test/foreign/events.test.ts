// The official client verifies events signed as the service signs them, the sandbox's own events among them.

import {createHmac} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {serialize} from '../../src/sandbox/serialize.js';
import {foreign} from '../support/payrex.js';

const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';
const AT = 1_790_000_123;

const BODY =
  '{"id":"evt_A1","resource":"event","type":"billing_statement.paid","data":{"id":"bstm_A1",' +
  '"resource":"billing_statement","status":"paid","description":"Bayad ni Niño ✓"},"livemode":false,' +
  '"pending_webhooks":1,"previous_attributes":{"status":"open"},"created_at":1790000123,"updated_at":1790000123}';

const digest = (body: string, secret = SECRET, at = AT): string =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');

describe('parseEvent', () => {
  test.each([
    ['test mode', `t=${AT},te=${digest(BODY)},li=`],
    ['live mode', `t=${AT},te=,li=${digest(BODY)}`],
  ])('takes an event signed in %s, and keeps its parts', async (_name, header) => {
    const {payrex} = await foreign();
    expect(payrex.webhooks.parseEvent(BODY, header, SECRET)).toEqual({
      id: 'evt_A1',
      type: 'billing_statement.paid',
      data: {id: 'bstm_A1', resource: 'billing_statement', status: 'paid', description: 'Bayad ni Niño ✓'},
      pendingWebhooks: 1,
      previousAttributes: {status: 'open'},
      createdAt: AT,
      updatedAt: AT,
    });
  });

  test.each([
    ['another body', BODY.replace('paid', 'void'), `t=${AT},te=${digest(BODY)},li=`, 'SignatureInvalidError'],
    ['another key', BODY, `t=${AT},te=${digest(BODY, 'whsk_other')},li=`, 'SignatureInvalidError'],
    ['another time', BODY, `t=${AT + 1},te=${digest(BODY)},li=`, 'SignatureInvalidError'],
    ['no signature', BODY, `t=${AT},te=,li=`, 'SignatureInvalidError'],
    ['a header of another form', BODY, digest(BODY), 'ValueUnexpectedError'],
    ['no header', BODY, undefined, 'ValueUnexpectedError'],
  ])('refuses %s', async (_name, body, header, name) => {
    const {payrex} = await foreign();
    expect(() => payrex.webhooks.parseEvent(body, header, SECRET)).toThrow(expect.objectContaining({name}));
  });

  test('accepts every event of the sandbox, signed with the key of its webhook', async () => {
    const {payrex, sandbox} = await foreign();
    const {secretKey} = await payrex.webhooks.create({url: 'https://shop.example/hooks', events: ['refund.created']});
    await sandbox.seed();
    const events = sandbox.perform((work) =>
      work.store.list('event', {limit: 1000}).data.map((event) => JSON.stringify(serialize(event, work))),
    );
    expect(events.length).toBeGreaterThan(100);
    for (const body of events) {
      const event = payrex.webhooks.parseEvent(body, `t=${AT},te=${digest(body, secretKey)},li=`, secretKey);
      expect(event.id).toMatch(/^evt_/);
      expect(event.data.resource).toBe(event.type.split('.')[0]);
    }
  });
});
