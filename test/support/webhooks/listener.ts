// A store, a receiver and a forwarder combined like in `listen`.

import {randomBytes} from 'node:crypto';
import {vi} from 'vitest';
import {openDeliveries, type DeliveryStore} from '../../../src/webhooks/store/deliveries.js';
import type {Delivery} from '../../../src/webhooks/receive/delivery.js';
import {everyEvent} from '../../../src/input/event-filter.js';
import {Forwarder, type ForwarderOptions} from '../../../src/webhooks/forward/forwarder.js';
import {startReceiver, type ReceiverOptions, type ReceiverRefusal} from '../../../src/webhooks/receive/receiver.js';
import {ask} from './sockets.js';
import {eventBody, SECRET, signatureOf} from './events.js';

export const TOKEN = 'abcdefghijklmnopqrstuvwxyz012345';
export const OWNER = {pid: process.pid, startedAt: 1};

export const newId = (): string => `dlv_${randomBytes(12).toString('hex')}`;

export const openStore = (path: string, owner = OWNER): DeliveryStore => openDeliveries(path, {owner});

export interface PostOptions {
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly signature?: string;
}

/** The bytes of a valid request. */
export function requestBytes(port: number, body: Buffer, options: PostOptions = {}): Buffer {
  const {path = '', headers = [], signature = signatureOf(body)} = options;
  const lines = [
    `POST /${TOKEN}${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    ...(signature === '' ? [] : [`Payrex-Signature: ${signature}`]),
    ...headers,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

export async function listener(store: DeliveryStore, options: Partial<ReceiverOptions> = {}) {
  const deliveries: Delivery[] = [];
  const refused: ReceiverRefusal[] = [];
  const failures: unknown[] = [];
  const receiver = await startReceiver({
    store,
    profile: 'test',
    token: TOKEN,
    secrets: () => [SECRET],
    now: Date.now,
    newId,
    respond: async () => ({status: 200}),
    onDelivery: (delivery) => deliveries.push(delivery),
    onRefused: (refusal) => refused.push(refusal),
    onFailure: (error) => failures.push(error),
    ...options,
  });
  return {
    receiver,
    store,
    deliveries,
    refused,
    failures,
    /** Sends a signed event. */
    post: (body = eventBody(), given: PostOptions = {}) => ask(receiver.port, requestBytes(receiver.port, body, given)),
    close: async () => {
      await receiver.close(1000);
      store.close();
    },
  };
}

export type Forwarding = Awaited<ReturnType<typeof forwarding>>;

/** A listener that forwards everything to one target. */
export async function forwarding(
  store: DeliveryStore,
  url: URL,
  options: Partial<ForwarderOptions> = {},
  receiving: Partial<ReceiverOptions> = {},
) {
  const forwarder = new Forwarder({
    targets: [{url, accepts: everyEvent}],
    store,
    now: Date.now,
    random: () => 0.5,
    ...options,
  });
  const listening = await listener(store, {
    targetsOf: (event) => forwarder.targetsOf(event),
    respond: (delivery) => forwarder.forward(delivery),
    ...receiving,
  });
  return {
    ...listening,
    forwarder,
    close: async () => {
      await listening.receiver.close(100);
      await forwarder.close();
      store.close();
    },
  };
}

/** Resolves when `holds` returns true. */
export const until = (holds: () => boolean): Promise<boolean> => vi.waitUntil(holds, {timeout: 120_000, interval: 2});
