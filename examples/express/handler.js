// A webhook handler for Express: genuine deliveries only, each event acted on once, whatever is sent and how often.

import express from 'express';
import {constructEvent, SignatureError} from 'centavo';

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
    let event;
    try {
      // All headers of this name: `request.headers` would join two into one.
      event = constructEvent(request.body, request.headersDistinct['payrex-signature'], secret);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      console.error(error.message);
      return response.sendStatus(401);
    }
    if (ACTED_ON.has(event.type)) orders.markPaid(event);
    return response.sendStatus(200);
  });

  return app;
}
