// The limits of this machine that are measured alone: an fdatasync, and the HMAC of an event beside our check of its signature.
// Bare Node and a bare request are measured beside the commands, and a bare server beside the receiver.

import {createHmac} from 'node:crypto';
import {closeSync, fdatasyncSync, openSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {signPayload, verifyEvent} from '../dist/webhooks/signature/signature.js';
import {median} from './processes.mjs';

const SYNCS = 200;
const BATCHES = 50;
const BATCH = 200;

/** Milliseconds of 200 fdatasyncs, each after an append of 4 KB to a file in this folder. */
export function syncs(folder) {
  const file = openSync(join(folder, 'syncs'), 'a');
  const page = Buffer.alloc(4096, 'x');
  const times = Array.from({length: SYNCS}, () => {
    writeSync(file, page);
    const began = performance.now();
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  return times;
}

/** Milliseconds of one call, as the median of batches. */
function timeOf(work) {
  return median(
    Array.from({length: BATCHES}, () => {
      const began = performance.now();
      for (let call = 0; call < BATCH; call++) work();
      return (performance.now() - began) / BATCH;
    }),
  );
}

/** Milliseconds of an HMAC-SHA256 of an event of 2 KB, and of the check that a receiver makes of it. */
export function signatureTimes() {
  const secret = 'whsk_0123456789abcdefghijklmnopqrstuv';
  const event = {id: 'evt_1', resource: 'event', type: 'payment_intent.succeeded', livemode: false, data: {text: ''}};
  event.data.text = 'x'.repeat(2048 - JSON.stringify(event).length);
  const [body, timestamp] = [Buffer.from(JSON.stringify(event)), 1_790_000_000];
  const header = signPayload({body, secret, timestamp, mode: 'test'});
  const check = () => verifyEvent({body, header, secrets: [secret], now: timestamp});
  if (!check().verdict.genuine) throw new Error('the event is not genuine');
  return {hmac: timeOf(() => createHmac('sha256', secret).update(body).digest()), check: timeOf(check)};
}
