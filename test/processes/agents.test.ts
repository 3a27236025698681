// Finding the agent that runs a command: with real processes, each with a marker in another place.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, copyFileSync, existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, describe, expect, test} from 'vitest';
import {findAgent} from '../../src/processes/agents.js';
import {temporaryDirectory} from '../support/cli.js';

const folder = temporaryDirectory(afterAll);
chmodSync(folder, 0o755);
copyFileSync(new URL('../../dist/processes/agents.js', import.meta.url), join(folder, 'agents.mjs'));
const PROGRAM = join(folder, 'find.mjs');
// It looks when its input ends. So it can outlive its parent.
writeFileSync(
  PROGRAM,
  `import {readFileSync} from 'node:fs';
import {findAgent} from './agents.mjs';
readFileSync(0);
const found = findAgent(process.env, process.pid);
const before = process.cpuUsage();
for (let count = 0; count < 20; count++) findAgent({}, process.pid);
const {user, system} = process.cpuUsage(before);
const milliseconds = (user + system) / 20e3;
process.stdout.write(JSON.stringify({variable: null, ...found, own: process.pid, parent: process.ppid, milliseconds}) + '\\n');`,
);

interface Found {
  readonly variable: string | null;
  readonly pid?: number;
  readonly own: number;
  readonly parent: number;
  /** Processor time that one look takes. */
  readonly milliseconds: number;
}

/** Who runs these tests may be an agent itself, which is found above them. */
const OUTER = findAgent(process.env, process.pid);
const nothing = OUTER ?? {variable: null};

const NODE = process.execPath;
const FIND = `${NODE} ${PROGRAM}`;
/** Starts itself so many times, and then the program. */
const NEST = join(folder, 'nest.sh');
writeFileSync(NEST, `if [ "$1" -gt 0 ]; then /bin/sh "$0" $(($1 - 1)); else ${FIND}; fi; true`);
/** Changes its own title, which takes memory beside its environment. */
const TITLED = join(folder, 'titled.mjs');
writeFileSync(
  TITLED,
  `import {spawnSync} from 'node:child_process';
process.title = 'x'.repeat(500);
spawnSync(process.execPath, [${JSON.stringify(PROGRAM)}], {env: {}, stdio: 'inherit'});`,
);

/** Runs a line of a shell. @param outlives true if the program looks when the shell has ended */
async function find(line: string, env: Record<string, string> = {}, outlives = false): Promise<Found> {
  // `true`, because a shell would replace itself by its last command.
  const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', `${line}\ntrue`], {
    env: {PATH: process.env.PATH!, ...env},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  if (outlives) await once(child, 'exit');
  child.stdin.end();
  const shown = await output;
  return JSON.parse(/\{.*\}/.exec(shown)?.[0] ?? expect.fail(shown)) as Found;
}

const AGENT = {CLAUDECODE: '1'};
/** Runs a program as somebody else, where this user may. */
const AS_ANOTHER = 'setpriv --reuid=65534 --regid=65534 --clear-groups';
const canBeAnother = spawnSync('/bin/sh', ['-c', `${AS_ANOTHER} ${NODE} --version`]).status === 0;

describe.runIf(existsSync('/proc/self/environ'))('an agent', () => {
  test.each([
    ['this process alone', {}],
    ['this process and its parent', AGENT],
  ])('%s has a variable: found here', async (_, env) => {
    const found = await find(`env -u CLAUDECODE CODEX_CI=1 ${FIND}`, env);
    expect(found).toMatchObject({variable: 'CODEX_CI', pid: found.own});
  });

  test('this process began with the variable, and has removed it', () => {
    const code = `import {findAgent} from ${JSON.stringify(join(folder, 'agents.mjs'))};
      delete process.env.CLAUDECODE;
      console.log(findAgent(process.env, process.pid)?.pid === process.pid);`;
    const {stdout} = spawnSync(NODE, ['--input-type=module', '-e', code], {env: AGENT, encoding: 'utf8'});
    expect(stdout).toBe('true\n');
  });

  test.each([
    ['env -i', `env -i ${FIND}`],
    ['unset', `unset CLAUDECODE; ${FIND}`],
    ['env -u', `env -u CLAUDECODE ${FIND}`],
    ['an empty value', `CLAUDECODE= ${FIND}`],
    ['0', `CLAUDECODE=0 ${FIND}`],
    ['false', `CLAUDECODE=false ${FIND}`],
  ])('its parent alone has the variable, by %s: found there', async (_, line) => {
    const found = await find(line, AGENT);
    expect(found).toMatchObject({variable: 'CLAUDECODE', pid: found.parent});
  });

  test.each([
    ['a shell of its own', `env -i /bin/sh -c '${FIND}; true'`],
    ['a login shell', `env -i /bin/bash -l -c '${FIND}; true'`],
    ['script', `env -i /usr/bin/script -qec '${FIND}' /dev/null`],
    ['setsid that waits', `env -i setsid -w ${FIND}`],
    ['nohup', `env -i nohup ${FIND}`],
    ['a background process', `exec 3<&0; env -i ${FIND} <&3 & wait`],
    ['a pipeline', `cat | env -i ${FIND} | cat`],
    ['xargs', `echo ${PROGRAM} | env -i xargs ${NODE}`],
    ['a program with a title of its own', `env -i ${NODE} ${TITLED}`],
    ['40 shells', `env -i /bin/sh ${NEST} 40`],
  ])('through %s: found', async (_, line) => {
    const found = await find(line, AGENT);
    expect(found.variable).toBe('CLAUDECODE');
    expect(found.pid).not.toBe(found.own);
  });

  test.runIf(canBeAnother)('the process of another user is looked past, and shows nothing itself', async () => {
    // The agent, a process of the other user, and this one.
    expect((await find(`env -i ${AS_ANOTHER} /bin/sh -c '${FIND}; true'`, AGENT)).variable).toBeNull();
    const past = `${AS_ANOTHER} env CLAUDECODE=1 /bin/sh -c 'env -i ${FIND}; true'`;
    expect((await find(past)).variable).toBe('CLAUDECODE');
  });

  // SECURITY.md names these: a program that means to can leave its ancestors.
  test.each([
    ['by setsid -f', `env -i setsid -f ${FIND} <&3`],
    ['by two forks', `(env -i ${FIND} <&3 &)`],
    ['with a shell between that ended', `env -i /bin/sh -c '${FIND} <&3 & exit 0'`],
  ])('a process that left its ancestors %s does not find it', async (_, line) => {
    expect(await find(`exec 3<&0; ${line}`, AGENT, true)).toMatchObject({variable: null});
  });

  test('an agent without a variable of its own, which starts env -i in place of a shell, is not found', async () => {
    expect(await find(`CLAUDECODE=1 env -i ${FIND}`)).toMatchObject(nothing);
  });

  test.each(['', '0', 'false'])('%j is no marker', async (value) => {
    expect(await find(FIND, {CLAUDECODE: value})).toMatchObject(nothing);
    expect(findAgent({CLAUDECODE: value}, 0)).toBeUndefined();
  });

  test.each(['1', 'true', 'no', ' ', 'False'])('%j is one', (value) => {
    expect(findAgent({CLAUDECODE: value}, 7)).toEqual({variable: 'CLAUDECODE', pid: 7});
  });

  test('a longer name, a value and the variables of editors are none', async () => {
    const env = {
      CLAUDECODE_2: '1',
      MY_CLAUDECODE: '1',
      NOTE: 'CLAUDECODE=1',
      TERM_PROGRAM: 'vscode',
      CURSOR_TRACE_ID: 'a',
    };
    expect(await find(FIND, env)).toMatchObject(nothing);
  });

  test('a process that does not exist has none', () => {
    expect(findAgent({}, 2 ** 30)).toBeUndefined();
  });

  test('a look takes a few milliseconds of the processor at most, with 40 ancestors too', async () => {
    const [few, many] = [await find(FIND), await find(`/bin/sh ${NEST} 40`)];
    console.info(
      `A look takes ${few.milliseconds.toFixed(2)} ms, and with 40 ancestors ${many.milliseconds.toFixed(2)} ms.`,
    );
    expect(many.milliseconds).toBeLessThan(50);
  });
});
