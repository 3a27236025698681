// A sender of signed events for programs without vitest.

import {createHmac} from 'node:crypto';
import {request} from 'node:http';

export const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';
export const TOKEN = 'abcdefghijklmnopqrstuvwxyz012345';

/**
 * Posts an event about an object of its own. Resolves with the status; undefined, a little later, if nothing answers.
 * @param {import('node:http').Agent} agent
 * @param {number} port
 * @param {string} id of the event
 * @param {Record<string, unknown>} [more] of the object
 * @returns {Promise<number | undefined>}
 */
export function post(agent, port, id, more = {}) {
  const data = {id: `o_${id}`, ...more};
  const body = Buffer.from(JSON.stringify({id, resource: 'event', type: 'payment.x', livemode: false, data}));
  const timestamp = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex');
  return new Promise((resolve) => {
    const asking = request({
      ...{agent, port, host: '127.0.0.1', path: `/${TOKEN}`, method: 'POST'},
      headers: {'payrex-signature': `t=${timestamp},te=${digest},li=`, 'content-length': body.length},
    });
    asking.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode));
    });
    asking.on('error', () => setTimeout(resolve, 5));
    asking.end(body);
  });
}
