// Two processes ask for the same change at once, with one idempotency key.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished} from 'vitest';
import {cliEnvironment, temporaryDirectory, type CliResult} from '../cli.js';
import {commandsIn} from '../commands.js';

const CREATOR = fileURLToPath(new URL('creator.mjs', import.meta.url));

type Answer = Pick<CliResult, 'status' | 'stderr' | 'stdout'>;

async function creator(): Promise<(words: readonly string[], directory: string) => Promise<Answer>> {
  const child = spawn(process.execPath, [CREATOR], {
    env: cliEnvironment(temporaryDirectory()),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({input: child.stdout});
  await once(lines, 'line');
  return async (words, directory) => {
    child.stdin.write(`${JSON.stringify({words, directory})}\n`);
    return JSON.parse(String(...(await once(lines, 'line')))) as Answer;
  };
}

/** Rounds in one folder. The first finds no sandbox there. */
const ROUNDS = 10;

/** One sends; the other finds it in progress or done. @returns how often it was in progress */
export async function askTwiceAtOnce(rounds: number): Promise<number> {
  const creators = [await creator(), await creator()];
  let busy = 0;
  for (let done = 0; done < rounds; done += ROUNDS) busy += await askIn(temporaryDirectory(), creators);
  return busy;
}

async function askIn(directory: string, creators: readonly Awaited<ReturnType<typeof creator>>[]): Promise<number> {
  let busy = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const words = ['customers', 'create', '--name', `Customer ${round}`, '--email', 'a@example.com'];
    const argv = [...words, '--idempotency-key', `round-${round}`, '--json'];
    const answers = await Promise.all(creators.map((create) => create(argv, directory)));
    const all = JSON.stringify(answers);
    const done = answers
      .filter(({status}) => status === 0)
      .map(({stdout}) => JSON.parse(stdout) as {already?: boolean});
    const refused = answers
      .filter(({status}) => status !== 0)
      .map(({stderr}) => (JSON.parse(stderr) as {error: {code: string}}).error.code);
    expect(done.filter(({already}) => already !== true).length, all).toBe(1);
    expect(refused.length + done.length, all).toBe(2);
    expect(
      refused.every((code) => code === 'in_progress'),
      all,
    ).toBe(true);
    busy += refused.length;
  }
  const {stdout} = await commandsIn(directory)(['customers', 'list', '--all', '-o', 'jsonl']);
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as {name: string}).name);
  expect(names).toHaveLength(ROUNDS);
  expect(new Set(names).size).toBe(ROUNDS);
  return busy;
}
