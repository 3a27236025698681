// A webhook handler for Express: genuine deliveries only, each event acted on once, whatever is sent and how often.

import express from 'express';
import {verifySignature} from 'centavo';

/** What this app acts on. All else is answered with 200, so that it is not sent again. */
const ACTED_ON = new Set(['billing_statement.paid', 'payment_intent.succeeded']);

/**
 * @param {object} options
 * @param {string} options.secret the webhook's own secret, whsk_…
 * @param {import('./orders.js').Orders} options.orders
 */
export function createApp({secret, orders}) {
  const app = express();

  // The signature is of the exact bytes: no JSON parser may come before, nothing is unzipped, and 100 KB would be too few.
  const raw = express.raw({type: () => true, limit: '5mb', inflate: false});

  app.post('/webhooks/payrex', raw, (request, response) => {
    const verdict = verifySignature({
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      // All of them: `request.headers` would join two into one.
      header: request.headersDistinct['payrex-signature'] ?? [],
      secrets: [secret],
      now: Math.floor(Date.now() / 1000),
    });
    if (!verdict.genuine) {
      console.error(`refused: ${verdict.reason}`);
      return response.sendStatus(401);
    }
    const event = JSON.parse(request.body.toString('utf8'));
    if (ACTED_ON.has(event.type)) orders.markPaid(event);
    return response.sendStatus(200);
  });

  return app;
}
