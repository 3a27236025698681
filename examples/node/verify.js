// Verifies webhook deliveries with Node alone.

import {createHmac, timingSafeEqual} from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * @param {Uint8Array} body the exact bytes, before anything parsed them
 * @param {string | undefined} header the value of Payrex-Signature
 * @param {string} secret the whole secret, with its prefix whsk_
 * @param {boolean} live true in live mode, whose signature is in `li`; that of test mode is in `te`
 */
export function isGenuine(body, header, secret, live = false) {
  const pairs = (header ?? '').split(',').map((part) => part.trim().split('='));
  const {t = '', [live ? 'li' : 'te']: signature = ''} = Object.fromEntries(pairs);
  if (!/^\d{1,10}$/.test(t) || Math.abs(Date.now() / 1000 - Number(t)) > TOLERANCE_SECONDS) return false;
  const expected = Buffer.from(createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
