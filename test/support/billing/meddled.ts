// Imports in a world in which somebody else does something at a request, or the service answers it in its own way.

import {onTestFinished} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import {seededRandom} from '../../../src/ground/random.js';
import {JobWorld, NO_FAULTS, someRows, type Rates} from './job-world.js';

/** Statements of a file. */
export const COUNT = 4;

/** Kinds of requests. */
export const CREATE = /^POST \/billing_statements$/;
export const FINALIZE = /^POST \/billing_statements\/\w+\/finalize$/;
export const SEND = /^POST \/billing_statements\/\w+\/send$/;
export const LIST = /^GET \/billing_statements$/;

export type Meddle = (request: ApiRequest, handle: () => Promise<ApiResponse>, id: string) => Promise<ApiResponse>;

/** Requests of somebody else. */
export const callOf =
  (world: JobWorld) =>
  (method: ApiRequest['method'], path: string, body?: object, query = ''): Promise<ApiResponse> =>
    Promise.resolve(
      world.sandbox.handle({
        ...{method, path, query},
        headers: {
          authorization: `Basic ${Buffer.from(`${world.sandbox.keys.secret}:`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: body && Buffer.from(JSON.stringify(body)),
      }),
    );

/** An account with these jobs for the same file: all were confirmed before the first began. */
export async function worldWith(
  names: readonly string[],
  {rates = NO_FAULTS, seed = 7, rowsBy}: {rates?: Rates; seed?: number; rowsBy?: number} = {},
) {
  const world = new JobWorld(seed, rates);
  onTestFinished(() => world.close());
  const rows = rowsBy === undefined ? someRows(COUNT, seededRandom(seed + 1)) : someRows(6, seededRandom(rowsBy));
  for (const name of names) await world.stage(rows, {name});
  const call = callOf(world);
  /** Does something else at the first request of this kind; from then on everything is as it should be. */
  const once = (kind: RegExp, meddle: Meddle): void => {
    let done = false;
    world.meddle = (request, handle) => {
      if (done || !kind.test(`${request.method} ${request.path}`)) return handle();
      done = true;
      return meddle(request, handle, request.path.split('/')[2]!);
    };
  };
  /** How often each row was billed, and e-mailed. */
  const billed = async () => {
    const payable = (await world.statements()).filter(({status}) => status === 'open' || status === 'paid');
    const emails = payable.map(({id}) => world.emails(id));
    return {
      statements: payable.length,
      emails: emails.reduce((sum, count) => sum + count, 0),
      most: Math.max(...emails),
    };
  };
  const phases = (name?: string): string[] => world.rows(name).map(({phase}) => phase);
  return {world, rows, once, call, billed, phases};
}
