// Event bodies and signatures as the service sends them.

import {createHmac} from 'node:crypto';

export const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';

/** The bytes of an event, each with another id by default. */
export const eventBytes = (fields: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: `evt_${++made}`,
      resource: 'event',
      type: 'payment_intent.succeeded',
      data: {id: 'pi_1', resource: 'payment_intent', amount: 125_050, description: 'Bayad, Niño ✓', status: 'paid'},
      livemode: false,
      pending_webhooks: 1,
      previous_attributes: {},
      ...fields,
    }),
  );
let made = 0;

export const eventBody = ({
  id = 'evt_1',
  type = 'billing_statement.paid',
  objectId = 'bstm_1',
  description = 'Bayad para sa Setyembre, ₱1,250.50',
} = {}): Buffer =>
  eventBytes({id, type, data: {id: objectId, resource: type.split('.')[0], amount: 125_050, description}});

export const unixNow = (): number => Math.floor(Date.now() / 1000);

/** Signs like the service, without the signer under test. */
export function signatureOf(body: Uint8Array, {secret = SECRET, timestamp = unixNow()} = {}): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return `t=${timestamp},te=${digest},li=`;
}
