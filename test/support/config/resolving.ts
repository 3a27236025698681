// Resolving in a test: by flags, variables and a configuration, with what came of it or what kept it from coming.

import {ENDPOINTS} from '../../../src/client/endpoints.js';
import {EMPTY} from '../../../src/config/profiles.js';
import {resolve, type Connection, type ResolveInput} from '../../../src/config/resolve.js';
import {CentavoError} from '../../../src/common/errors.js';

export type Given = Partial<Omit<ResolveInput, 'endpoints'>>;

export const resolved = ({flags = {}, env = {}, configuration = EMPTY}: Given): Connection =>
  resolve({flags, env, configuration, endpoints: ENDPOINTS});

/** The error that there must be. */
export const refusal = (given: Given): CentavoError => {
  try {
    resolved(given);
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  throw new Error(`Nothing kept ${JSON.stringify(given)} from being used.`);
};

/** Every way to have some of these, and not the others. */
export const subsets = <T>(all: readonly T[]): T[][] =>
  all.reduce<T[][]>((sets, each) => [...sets, ...sets.map((set) => [...set, each])], [[]]);

/** Made up for tests; no service knows it. */
export const BODY = 'MadeUpForTests0123456789abcdef';
export const TEST_KEY = `sk_test_${BODY}`;
