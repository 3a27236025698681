// A test file with more of its work, in processes of their own: as many as there are cores.

import {fileURLToPath} from 'node:url';
import {watchCommand} from './processes.js';

const PROCESSES = 2;
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.soak.config.ts'];
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Part {
  readonly status: number | null;
  /** All that it printed. */
  readonly text: string;
}

/**
 * @param file a test of either tier
 * @param envOf the environment of the part with this offset and count
 */
export async function inParts(
  all: number,
  file: string,
  envOf: (first: number, count: number) => Readonly<Record<string, string>>,
): Promise<readonly Part[]> {
  const each = Math.ceil(all / PROCESSES);
  return Promise.all(Array.from({length: PROCESSES}, (_, at) => part(file, envOf(at * each, each))));
}

async function part(file: string, env: Readonly<Record<string, string>>): Promise<Part> {
  const {ended, stdout, stderr} = watchCommand(process.execPath, [...VITEST, file], {
    cwd: root,
    env: {...process.env, ...env},
  });
  return {status: (await ended).status, text: stdout() + stderr()};
}
