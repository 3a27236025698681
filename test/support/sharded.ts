// A test file with more of its work, in processes of their own: as many as there are cores.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

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
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...words], {
    cwd: root,
    env: {...process.env, ...env},
  });
  let text = '';
  child.stdout.on('data', (more) => (text += more));
  child.stderr.on('data', (more) => (text += more));
  const [status] = (await once(child, 'close')) as [number | null];
  return {status, text};
}
