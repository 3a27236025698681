// Runs real scripts against the built program: scripts/<name>. Their output and exit code are kept in outcomes/<name>.txt.

import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {RUN, temporaryDirectory} from '../support/cli.js';
import {inTurn} from '../support/processes.js';
import {some} from '../support/test-size.js';

const SCRIPTS = join(import.meta.dirname, 'scripts');
const INTERPRETERS: Readonly<Record<string, string>> = {sh: 'bash', py: 'python3'};
const missing = Object.values(INTERPRETERS).filter((name) => spawnSync(name, ['--version']).error !== undefined);
if (missing.length > 0) console.warn(`Skipped, because this machine has no ${missing.join(', ')}.`);

/** Masks ids, times, folders and the version. */
const steady = (text: string, home: string): string =>
  text
    .replaceAll(home, '~')
    .replaceAll(/\b((?:bstm|cus|pay|pi|re|evt|whk|wh|cs|li|pm)(?:_li)?_)[A-Za-z0-9]{20,}/g, '$1…')
    .replaceAll(/\bcentavo\/\d+\.\d+\.\d+\S* \S+ node-v[\d.]+/g, 'centavo/VERSION')
    .replaceAll(/\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{1,2} \w+ 20\d\d\b/g, 'DAY')
    .replaceAll(/\bin \d+ days\b/g, 'in DAYS')
    .replaceAll(/\b20\d\d-\d\d-\d\d(?:[T ][\d:+.Z]+)?/g, 'DATE')
    .replaceAll(/\b\d{10}\b/g, 'UNIX-TIME');

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function session(script: string): Promise<{home: string} & Outcome> {
  const home = temporaryDirectory(afterAll);
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(RUN, join(bin, 'centavo'));
  // As after `centavo profiles use sandbox`: a sandbox that is only the default would be noted each time.
  mkdirSync(join(home, '.config/centavo'), {recursive: true});
  writeFileSync(join(home, '.config/centavo/config.json'), '{"version": 1, "profile": "sandbox"}');
  const [extension = ''] = script.split('.').slice(-1);
  // This test's Node comes first on the path, so that scripts find the program as users do.
  const env = {PATH: `${bin}:${join(process.execPath, '..')}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8'};
  return new Promise((resolve, reject) => {
    const child = spawn(INTERPRETERS[extension]!, [join(SCRIPTS, script)], {cwd: home, env});
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.end();
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({home, status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString()}),
    );
  });
}

const turn = inTurn(2);

describe.runIf(missing.length === 0)('a script', () => {
  test.concurrent.for(some(readdirSync(SCRIPTS).sort(), 10))('%s', async (script, {expect}) => {
    const {home, status, stdout, stderr} = await turn(() => session(script));
    const outcome = `exit ${status}\n\n--- stdout\n${stdout}\n--- stderr\n${stderr}`;
    await expect(steady(outcome, home)).toMatchFileSnapshot(`outcomes/${script}.txt`);
  });
});

test('has thirty scripts', () => {
  expect(readdirSync(SCRIPTS).length).toBeGreaterThanOrEqual(30);
});
