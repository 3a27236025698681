// The events of a conformance run, and their signatures, honest and forged.

import {createHmac} from 'node:crypto';
import {signPayload, type WebhookMode} from '../signature/signature.js';
import {syntheticEvent} from '../signature/synthetic.js';

/** Events that a handler may act on, each with the event that comes before it. */
export const EVENT_SAMPLES = {
  'billing_statement.paid': {prefix: 'bstm_', resource: 'billing_statement', status: 'paid', earlier: 'finalized'},
  'payment_intent.succeeded': {
    prefix: 'pi_',
    resource: 'payment_intent',
    status: 'succeeded',
    earlier: 'amount_capturable',
  },
} as const;

export type SampleType = keyof typeof EVENT_SAMPLES;

export interface EventOptions {
  readonly type: SampleType;
  readonly mode: WebhookMode;
  /** Unix seconds at which it happened. */
  readonly now: number;
  /** Letters and digits, new for each event. */
  readonly token: string;
  /** More fields of the object. */
  readonly set?: Readonly<Record<string, unknown>>;
}

export type EventDocument = Record<string, unknown> & {readonly id: string; readonly data: Record<string, unknown>};

/** Centavos. */
const AMOUNT = 125_050;

/** An event in the shape in which the service sends them. */
export function sampleEvent({type, mode, now, token, set}: EventOptions): EventDocument {
  const {prefix, resource, status} = EVENT_SAMPLES[type];
  const data = {
    id: `${prefix}${token}`,
    resource,
    amount: AMOUNT,
    currency: 'PHP',
    description: 'Conformance run',
    livemode: mode === 'live',
    metadata: null,
    status,
    created_at: now,
    updated_at: now,
    ...set,
  };
  return syntheticEvent({type, data, mode, now, token});
}

/** An event that happened to the same object before. */
export function earlierEvent(event: EventDocument, type: SampleType, token: string): EventDocument {
  const {resource, earlier} = EVENT_SAMPLES[type];
  const before = (event.created_at as number) - 60;
  return {
    ...event,
    id: `evt_${token}`,
    type: `${resource}.${earlier}`,
    data: {...event.data, status: 'open', updated_at: before},
    created_at: before,
    updated_at: before,
  };
}

export const compact = (event: object): Buffer => Buffer.from(JSON.stringify(event), 'utf8');

/** The same event, indented, with CRLF line breaks. A handler that verifies JSON it wrote itself verifies other bytes. */
export const indented = (event: object): Buffer =>
  Buffer.from(`${JSON.stringify(event, null, 2).replaceAll('\n', '\r\n')}\r\n`, 'utf8');

/** What a delivery is signed with. */
export interface Signing {
  readonly secret: string;
  readonly mode: WebhookMode;
}

/** The header of a genuine delivery. @param timestamp unix seconds */
export const honest = (body: Uint8Array, timestamp: number, {secret, mode}: Signing): string =>
  signPayload({body, secret, timestamp, mode});

/** The header of somebody who does not know the secret. Any text may be the key here. */
export function forged(body: Uint8Array, timestamp: number, {secret, mode}: Signing): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return mode === 'test' ? `t=${timestamp},te=${digest},li=` : `t=${timestamp},te=,li=${digest}`;
}

/** The signature in the place of the other mode. */
export const moved = (header: string): string => header.replace(/te=([^,]*),li=([^,]*)/, 'te=$2,li=$1');

/** The last digit of the signature changed. */
export const mistyped = (header: string): string =>
  header.replace(/[0-9a-f](?=(,li=)?$)/, (digit) => (digit === '0' ? '1' : '0'));
