// Real processes that change one configuration at once, some killed on the way, and its invariants.

import {fileURLToPath} from 'node:url';
import {expect} from 'vitest';
import {configurationFile, type ConfigurationFile} from '../../../src/config/configuration-file.js';
import {watchCommand} from '../processes.js';

const WRITER = fileURLToPath(new URL('configuration-writer.mjs', import.meta.url));

type Writer = ReturnType<typeof writer>;

let tokens = 0;

/** The configuration in this folder. */
export const configurationIn = (directory: string, user = process.getuid?.()): ConfigurationFile =>
  configurationFile({directory: () => directory, user, token: () => `t${tokens++}`});

/** @param killedAfter the number at which it is killed; never if absent */
export function writer(directory: string, name: string, times: number, killedAfter = Infinity) {
  const words = [WRITER, directory, name, String(times)];
  const {child, stdout, ended} = watchCommand(process.execPath, words, {stdio: ['ignore', 'pipe', 'inherit']});
  /** The last number printed as written. */
  const said = () => Number(stdout().trimEnd().split('\n').at(-1));
  child.stdout!.on('data', () => said() >= killedAfter && child.kill('SIGKILL'));
  return {name, said, output: child.stdout!, ended};
}

/** Reads after each output of a writer: the file has that number or a later one. @returns the number of reads */
export async function watched(store: ConfigurationFile, writers: readonly Writer[]): Promise<number> {
  let reads = 0;
  const check = (): void => {
    const said = writers.map((each) => each.said());
    const {profiles} = store.read();
    for (const [index, {name}] of writers.entries())
      expect(Number(profiles[name]?.settings.max_amount ?? 0)).toBeGreaterThanOrEqual(said[index]!);
    reads++;
  };
  // An error in a listener would end the test process.
  let fault: unknown;
  for (const {output} of writers)
    output.on('data', () => {
      try {
        if (fault === undefined) check();
      } catch (error) {
        fault = error;
      }
    });
  await Promise.all(writers.map(({ended}) => ended));
  if (fault !== undefined) throw fault;
  check();
  return reads;
}
