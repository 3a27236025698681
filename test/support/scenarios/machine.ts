// A separate machine that works on a merchant's account, over a service with faults in some changes.

import {onTestFinished} from 'vitest';
import {temporaryDirectory} from '../cli.js';
import {commandsIn} from '../commands.js';
import {failingServer, type Failure} from '../services/failing.js';
import type {Merchant} from './merchant.js';

/** Ends with the test. @param failures by the number of the change, from 1 */
export async function machineOf(merchant: Merchant, failures: Readonly<Record<number, Failure>> = {}) {
  const server = await failingServer(merchant, failures);
  onTestFinished(server.close);
  const directory = temporaryDirectory();
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  return {directory, env, server, run: commandsIn(directory, {env, pace: 0.01})};
}
