// A test file with more of its work, in processes of their own: as many as there are cores.

import {fileURLToPath} from 'node:url';
import {watchCommand} from './processes.js';

const PROCESSES = 2;
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Part {
  readonly status: number | null;
  /** All that it printed. */
  readonly text: string;
}

/** @param envOf the environment of the part with this offset and count */
export async function inParts(
  all: number,
  words: readonly string[],
  envOf: (first: number, count: number) => Readonly<Record<string, string>>,
): Promise<readonly Part[]> {
  const each = Math.ceil(all / PROCESSES);
  return Promise.all(Array.from({length: PROCESSES}, (_, at) => part(words, envOf(at * each, each))));
}

async function part(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Part> {
  const {ended, stdout, stderr} = watchCommand(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...words], {
    cwd: root,
    env: {...process.env, ...env},
  });
  return {status: (await ended).status, text: stdout() + stderr()};
}
