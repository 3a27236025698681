// Starts the example: PAYREX_WEBHOOK_SECRET=whsk_… node examples/express/server.js [folder]

import {createApp} from './handler.js';
import {Orders} from './orders.js';

const secret = process.env.PAYREX_WEBHOOK_SECRET ?? '';
if (!secret.startsWith('whsk_')) {
  console.error('PAYREX_WEBHOOK_SECRET is to hold the secret of the webhook: whsk_…');
  process.exit(2);
}
const orders = new Orders(process.argv[2] ?? 'orders');
const server = createApp({secret, orders}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/webhooks/payrex`);
});
