// Event bodies and signatures as the service sends them.

import {createHmac} from 'node:crypto';

export const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';

export interface EventOptions {
  readonly id?: string;
  readonly type?: string;
  readonly objectId?: string;
  readonly description?: string;
}

export const eventBody = ({
  id = 'evt_1',
  type = 'billing_statement.paid',
  objectId = 'bstm_1',
  description = 'Bayad para sa Setyembre, ₱1,250.50',
}: EventOptions = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      id,
      resource: 'event',
      type,
      livemode: false,
      pending_webhooks: 1,
      data: {id: objectId, resource: type.split('.')[0], amount: 125_050, description},
      previous_attributes: {},
    }),
  );

export const unixNow = (): number => Math.floor(Date.now() / 1000);

/** Signs like the service, without the signer under test. */
export function signatureOf(body: Uint8Array, {secret = SECRET, timestamp = unixNow()} = {}): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return `t=${timestamp},te=${digest},li=`;
}
