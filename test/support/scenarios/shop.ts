// A shop as a newcomer writes it: Express, payrex-node, and the line of docs/app.md for the sandbox.

import {mkdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {temporaryDirectory} from '../cli.js';
import {freePort} from '../free-port.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** As in the documentation. */
export const SDK_LINE = /^for .*process\.env\.PAYREX_BASE_URL.*$/m.exec(
  readFileSync(join(ROOT, 'docs/app.md'), 'utf8'),
)![0];

const SOURCE = `
const express = require('express');
const Payrex = require('payrex-node');
const payrex = new Payrex(process.env.PAYREX_SECRET_KEY);
${SDK_LINE}
const orders = new Map();
const app = express();
app.post('/orders', async (request, response) => {
  const session = await payrex.checkoutSessions.create({
    currency: 'PHP',
    line_items: [{name: 'Pandesal', amount: 20000, quantity: 1}],
    payment_methods: ['card', 'gcash'],
    success_url: 'http://localhost/thanks',
    cancel_url: 'http://localhost/cart',
  });
  orders.set(session.paymentIntent.id, {paid: false});
  response.json({id: session.id, url: session.url, order: session.paymentIntent.id});
});
app.get('/orders/:id', (request, response) => response.json(orders.get(request.params.id)));
app.post('/webhooks', express.raw({type: '*/*'}), (request, response) => {
  try {
    const signature = request.headers['payrex-signature'];
    const event = payrex.webhooks.parseEvent(request.body.toString(), signature, process.env.PAYREX_WEBHOOK_SECRET);
    const order = orders.get(event.data.id);
    if (event.type === 'payment_intent.succeeded' && order) {
      order.paid = true;
      console.log('order paid');
    }
    response.sendStatus(200);
  } catch (error) {
    response.status(400).send(error.message);
  }
});
app.listen(process.env.PORT, '127.0.0.1', () => console.log('shop is open'));
`;

/** A folder with nothing but the shop. */
export async function shop() {
  const directory = realpathSync(temporaryDirectory());
  mkdirSync(join(directory, 'shop'));
  const file = join(directory, 'shop', 'shop.cjs');
  writeFileSync(file, SOURCE);
  const port = await freePort();
  const call = async (path: string, init: RequestInit = {}): Promise<any> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return answer.ok ? answer.json() : answer.status;
  };
  return {
    folder: join(directory, 'shop'),
    file,
    port,
    /** Where its packages are, and where it listens. */
    env: {NODE_PATH: join(ROOT, 'node_modules'), PORT: String(port), no_proxy: '127.0.0.1'},
    order: (): Promise<{id: string; url: string; order: string}> => call('/orders', {method: 'POST'}),
    find: (order: string): Promise<unknown> => call(`/orders/${order}`),
    /** Logs a payment without the secret. */
    forge: (order: string): Promise<unknown> =>
      call('/webhooks', {
        method: 'POST',
        headers: {'Payrex-Signature': `t=${Math.floor(Date.now() / 1000)},te=${'0'.repeat(64)},li=`},
        body: JSON.stringify({type: 'payment_intent.succeeded', data: {id: order}}),
      }),
  };
}
