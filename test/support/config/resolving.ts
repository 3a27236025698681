// Resolves by flags, variables and a configuration in a test, with the result or the error.

import {ENDPOINTS} from '../../../src/client/endpoints.js';
import {EMPTY} from '../../../src/config/profiles.js';
import {resolve, type Connection, type ResolveInput} from '../../../src/config/resolve.js';
import {CentavoError} from '../../../src/common/errors.js';

export type Given = Partial<Omit<ResolveInput, 'endpoints'>>;

export const resolved = ({flags = {}, env = {}, configuration = EMPTY}: Given): Connection =>
  resolve({flags, env, configuration, endpoints: ENDPOINTS});

/** Returns the expected error. */
export const refusal = (given: Given): CentavoError => {
  try {
    resolved(given);
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  throw new Error(`Nothing kept ${JSON.stringify(given)} from being used.`);
};

/** Every subset of these. */
export const subsets = <T>(all: readonly T[]): T[][] =>
  all.reduce<T[][]>((sets, each) => [...sets, ...sets.map((set) => [...set, each])], [[]]);

/** A test value; no service knows it. */
export const BODY = 'MadeUpForTests0123456789abcdef';
export const TEST_KEY = `sk_test_${BODY}`;
