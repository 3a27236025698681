// Scripts as people write them, run as real processes against the built program. Each says at its end what comes of it.

import {spawn, spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../helpers/cli.js';

const SCRIPTS = join(import.meta.dirname, 'scripts');
const INTERPRETERS: Readonly<Record<string, string>> = {sh: 'bash', py: 'python3'};

interface Outcome {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the comments at the end of a script say. */
function expected(script: string): Outcome {
  const match = /^# exit: (\d+)\n# stdout:\n((?:# {3}.*\n)*)# stderr:\n((?:# {3}.*\n)*)$/m.exec(script);
  if (!match) throw new Error('The script does not end with what comes of it.');
  const text = (lines: string) => lines.replace(/^# {3}/gm, '');
  return {exit: Number(match[1]), stdout: text(match[2]!), stderr: text(match[3]!)};
}

/** Ids and ports differ from run to run. */
const lasting = (text: string): string =>
  text.replace(/\b([a-z_]+_)[A-Za-z0-9]{20,}\b/g, '$1…').replace(/(127\.0\.0\.1:)\d+/g, '$1…');

function run(name: string): Promise<Outcome> {
  const directory = temporaryDirectory();
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'centavo'), `#!/bin/sh\nexec '${process.execPath}' '${RUN}' "$@"\n`);
  chmodSync(join(bin, 'centavo'), 0o755);
  const interpreter = INTERPRETERS[name.slice(name.lastIndexOf('.') + 1)]!;
  const env = cliEnvironment(directory, {PATH: `${bin}${delimiter}${process.env.PATH}`});
  return new Promise((resolve, reject) => {
    const child = spawn(interpreter, [join(SCRIPTS, name)], {cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe']});
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (exit) => resolve({exit, stdout: lasting(stdout), stderr: lasting(stderr)}));
  });
}

/** What the scripts use, and this machine lacks. */
const missing = [...Object.values(INTERPRETERS), 'openssl', 'timeout'].filter(
  (program) => spawnSync(program, ['--version']).error !== undefined,
);
if (!existsSync('/dev/full')) missing.push('/dev/full');

test('there is what the scripts use, or they are skipped; in CI that is a failure', () => {
  if (missing.length > 0) console.warn(`Skipped, for lack of: ${missing.join(', ')}`);
  if (process.env.CI === 'true') expect(missing).toEqual([]);
});

test.runIf(missing.length === 0).for(readdirSync(SCRIPTS))('%s', {timeout: 60_000}, async (name) => {
  expect(await run(name)).toEqual(expected(readFileSync(join(SCRIPTS, name), 'utf8')));
});
