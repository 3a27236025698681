// A process that receives, stores and forwards like `listen` until killed. Sends its parent its port,
// the pending count on request, and failures.

import {randomBytes} from 'node:crypto';
import {openDeliveries} from '../../../dist/webhooks/store/deliveries.js';
import {everyEvent} from '../../../dist/input/event-filter.js';
import {Forwarder} from '../../../dist/webhooks/forward/forwarder.js';
import {startReceiver} from '../../../dist/webhooks/receive/receiver.js';

const [path, target, secret, token] = process.argv.slice(2);
const store = openDeliveries(path, {owner: {pid: process.pid, startedAt: Date.now()}});
const forwarder = new Forwarder({
  targets: [{url: new URL(target), accepts: everyEvent}],
  store,
  now: Date.now,
  random: Math.random,
  retry: {first: 50, maxDelay: 100},
});
const receiver = await startReceiver({
  store,
  profile: 'soak',
  token,
  secrets: () => [secret],
  now: Date.now,
  newId: () => `dlv_${randomBytes(12).toString('hex')}`,
  targetsOf: (event) => forwarder.targetsOf(event),
  respond: (delivery) => forwarder.forward(delivery),
  onFailure: (error) => process.send({failure: error.message}),
});
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
forwarder.resume('soak', isAlive);
process.on('message', () => process.send(forwarder.pending()));
process.send(receiver.port);
