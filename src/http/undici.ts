// Loads undici, for requests of every kind.

import {versions} from 'node:process';

/**
 * undici reads answers with WebAssembly. Node 20 optimises that after one answer, and a short program then waits for it
 * at its end: about 60 ms. This is how long later versions of Node wait before they optimise a function.
 */
const TIERING_BUDGET = 13_000_000;

/** undici, as its package exports it. The bundle has only the parts that are used (tools/bundle.mjs). */
export async function loadUndici(): Promise<typeof import('undici')> {
  if (versions.node.startsWith('20.')) {
    const {setFlagsFromString} = await import('node:v8');
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  }
  return import('undici');
}
