// Real processes that change one configuration at once, some killed on the way, and its invariants.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {Readable} from 'node:stream';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished} from 'vitest';
import {configurationFile, type ConfigurationFile} from '../../../src/config/configuration-file.js';

const WRITER = fileURLToPath(new URL('configuration-writer.mjs', import.meta.url));

export interface Writer {
  readonly name: string;
  /** The last number printed as written. */
  readonly said: () => number;
  readonly output: Readable;
  readonly ended: Promise<unknown>;
}

let tokens = 0;

/** The configuration in this folder. */
export const configurationIn = (directory: string, user = process.getuid?.()): ConfigurationFile =>
  configurationFile({directory: () => directory, user, token: () => `t${tokens++}`});

/** @param killedAfter the number at which it is killed; never if absent */
export function writer(directory: string, name: string, times: number, killedAfter = Infinity): Writer {
  const child = spawn(process.execPath, [WRITER, directory, name, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  const said = () => Number(text.trimEnd().split('\n').at(-1));
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (said() >= killedAfter) child.kill('SIGKILL');
  });
  return {name, said, output: child.stdout, ended: once(child, 'close')};
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
