// The built jq. All tests share one thread.

import type {Jq, JqOptions, JqProgram} from '../../../src/output/jq.js';
import {load} from '../load.js';

const {startJq} = await load<typeof import('../../../src/output/jq.js')>('output/jq.js');

/** A separate thread, for tests that end it. */
export const freshJq = (options: Partial<JqOptions> = {}): Promise<Jq> =>
  startJq({signal: new AbortController().signal, ...options});

const shared = await freshJq();

/** A program for the `jq` of a rendering. @throws CentavoError, of the built class */
export const program = (text: string): Promise<JqProgram> => shared.read(text);
