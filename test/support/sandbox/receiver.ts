// A real webhook server: records what arrives, and answers as the test sets.

import type {ServerResponse} from 'node:http';
import {inspectSignature, type Verdict} from '../../../src/webhooks/signature/signature.js';
import {app, type Hit, type Said} from '../services/app.js';
import type {Wire} from './world.js';

export interface Arrival extends Hit {
  readonly event: Wire;
}

export type Answer = Said | ((arrival: Arrival, response: ServerResponse) => void);

export async function receiver(answer: Answer = 200) {
  const arrivals: Arrival[] = [];
  const {port, received} = await app((hit, _, response) => {
    const arrival = {...hit, event: JSON.parse(hit.body.toString()) as Wire};
    arrivals.push(arrival);
    if (typeof made.answer !== 'function') return made.answer;
    made.answer(arrival, response);
    return 'hang';
  });
  const made = {
    url: `http://127.0.0.1:${port}/hook?from=sandbox`,
    arrivals,
    types: () => arrivals.map(({event}) => event.type as string),
    answer,
    /** Resolves after this many arrivals. */
    until: received,
  };
  return made;
}

/** @param now unix seconds of the receiver's own clock */
export const verdictOf = ({headers, body}: Arrival, secret: string, now: number): Verdict =>
  inspectSignature({body, header: [String(headers['payrex-signature'])], secrets: [secret], now});

export const webhook = (
  {ok}: {ok: (method: 'POST', target: string, body: object) => Promise<Wire>},
  url: string,
  ...events: string[]
): Promise<Wire> => ok('POST', '/webhooks', {url, events});
