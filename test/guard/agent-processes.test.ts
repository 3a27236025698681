// An agent's changes in live mode as real processes, with its variable in an ancestor alone; and the known ways to leave it.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, describe, expect, test} from 'vitest';
import {shellQuote} from '../../src/common/next-text.js';
import {lookFor} from '../output/redaction/leaks.js';
import {preload, RUN, temporaryDirectory} from '../support/cli.js';
import {inTurn} from '../support/processes.js';
import {CANARIES} from '../support/scenarios/canaries.js';
import {ROWS} from '../support/scenarios/live-matrix.js';
import {tellingService} from '../support/simulation/agents.js';

const COUNT = 200;
const folder = temporaryDirectory(afterAll);
const lookForSecrets = lookFor([CANARIES.live, CANARIES.webhook, CANARIES.client]);
const turn = inTurn();
const NODE = process.execPath;

/** Lines that must change nothing, beside the changes of the table. */
const MORE = [
  ...[
    ['config', 'set', 'agents', 'allow'],
    ['config', 'set', 'agents', 'allow', '-p', 'env'],
  ],
  ...[
    ['config', 'set', 'agents', 'allow', '-p', 'sandbox'],
    ['config', 'unset', 'max_amount', '-p', 'env'],
  ],
  ...[
    ['config', 'set', 'max_amount', '1,000,000', '-p', 'env'],
    ['config', 'set', 'read_only', 'false', '-p', 'env'],
  ],
  ...[
    ['approve'],
    ['webhooks', 'secret', '--live'],
    ['webhooks', 'get', '--reveal=wh_1', '--live'],
    ['status', '--live'],
  ],
];
const LINES = [...ROWS.map(({words}) => words), ...MORE];

/** Answers each question, as long as one may come. */
const ANSWERS = 'while sleep 0.2; do echo y; done';
/** In a pseudo-terminal. @param start the words before it */
const terminal = (start: string, program: string): string =>
  `${ANSWERS} | ${start} /usr/bin/script -qec "${program}" /dev/null`;

/** How an agent's shell may start a program, which has an environment of its own. */
const WAYS: Readonly<Record<string, (program: string) => string>> = {
  'env -i': (program) => `env -i ${program}`,
  unset: (program) => `unset CLAUDECODE; ${program}`,
  'env -u': (program) => `env -u CLAUDECODE ${program}`,
  bash: (program) => `env -i bash -c '${program}; true'`,
  script: (program) => terminal('env -i', program),
  'script and unset': (program) => `unset CLAUDECODE; ${terminal('', program)}`,
  'script in script': (program) => terminal('env -i', `/usr/bin/script -qec '${program}' /dev/null`),
  'stdin full of y': (program) => `yes | head -c 4000 | env -i ${program}`,
  'setsid -w': (program) => terminal('env -i setsid -w', program),
  nohup: (program) => `env -i nohup ${program}`,
  background: (program) => `env -i ${program} & wait`,
  'an empty value': (program) => `CLAUDECODE= ${program}`,
};

let programs = 0;
/** A program that runs a line of centavo on a machine, and says in a file how it ended. */
function programOf(words: readonly string[], url: string, home: string, more: Record<string, string> = {}) {
  const path = join(folder, `program${programs++}`);
  const env = {
    ...{PATH: process.env.PATH!, HOME: home, TERM: 'xterm'},
    ...{CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: CANARIES.live.text},
    ...more,
  };
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  writeFileSync(
    path,
    [...exports, `${NODE} ${RUN} ${words.map(shellQuote).join(' ')}`, `echo $? > ${path}.done`, ''].join('\n'),
  );
  return {program: `/bin/sh ${path}`, done: `${path}.done`};
}

/** Runs a line of a shell that an agent started. @returns all that was printed */
async function inShell(line: string, env: Readonly<Record<string, string>> = {CLAUDECODE: '1'}): Promise<string> {
  const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', `${line}\ntrue`], {
    env: {PATH: process.env.PATH, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  // A terminal echoes what is typed.
  return (out + err).replaceAll(/^(?:y|\^D)\r?\n/gm, '');
}

/** A home whose profile env has a limit. */
function homeOf(name: string): string {
  const home = join(folder, name);
  mkdirSync(join(home, '.config/centavo'), {recursive: true, mode: 0o700});
  writeFileSync(join(home, '.config/centavo/config.json'), CONFIGURATION, {mode: 0o600});
  return home;
}
const CONFIGURATION = '{"version":1,"profiles":{"env":{"keys":{},"max_amount":10000000,"read_only":false}}}';
const limitsIn = (home: string) => {
  const {env, ...others} = JSON.parse(readFileSync(join(home, '.config/centavo/config.json'), 'utf8')).profiles;
  return {max_amount: env.max_amount, agents: [env, ...(Object.values(others) as any[])].map(({agents}) => agents)};
};

describe.runIf(existsSync('/proc/self/environ') && spawnSync('script', ['--version']).status === 0)('an agent', () => {
  test(
    `${COUNT} processes below it change nothing, loosen nothing and show no secret`,
    {timeout: 600_000},
    async () => {
      const api = await tellingService();
      const homes = [homeOf('first'), homeOf('second')];
      const ways = Object.entries(WAYS);
      const counts = {handedOver: 0, ended: 0};
      await Promise.all(
        Array.from({length: COUNT}, (_, index) =>
          turn(async () => {
            const [name, way] = ways[index % ways.length]!;
            const words = [...LINES[index % LINES.length]!, ...(index % 3 === 0 ? ['--live'] : ['--live', '--yes'])];
            const {program, done} = programOf(words, api.url, homes[index % 2]!);
            const shown = await inShell(way(program));
            const title = `${name}: ${words.join(' ')}: ${shown}`;
            expect(lookForSecrets(shown).leak, title).toBeUndefined();
            expect(api.writes(), title).toEqual([]);
            counts.ended += existsSync(done) ? 1 : 0;
            counts.handedOver += /\bho_\w{8,}/.test(shown) ? 1 : 0;
          }),
        ),
      );
      for (const home of homes)
        expect(limitsIn(home)).toEqual({max_amount: 10_000_000, agents: expect.not.arrayContaining(['allow'])});
      console.info(
        `${COUNT} processes of an agent, ${ways.length} ways: ${api.writes().length} changes, 0 loosened limits, 0 secrets; ${counts.handedOver} handed over.`,
      );
      expect(counts.ended).toBe(COUNT);
      expect(counts.handedOver).toBeGreaterThan(COUNT / 4);
      await api.close();
    },
  );

  // SECURITY.md: this protects against haste and accidents, not against a program of the same user that means harm.
  test('the known ways to leave it are counted', {timeout: 120_000}, async () => {
    const refund = ['refunds', 'create', '--payment', 'pay_3Fa9', '--amount', '100', '--reason', 'others', '--live'];
    const hidden = {NODE_OPTIONS: preload().NODE_OPTIONS};
    const escapes: Record<string, [line: (program: string) => string, env?: Record<string, string>]> = {
      'setsid -f': [(program) => terminal('env -i setsid -f', program)],
      'two forks': [(program) => `(${terminal('env -i', program)} &)`],
      'systemd-run': [(program) => `systemd-run --user --wait ${program}`],
      'a preload that hides /proc': [(program) => terminal('env -i', program), hidden],
    };
    const counted: string[] = [];
    const count = async (name: string, line: string, done: string, changes: () => number): Promise<void> => {
      const shown = await inShell(line);
      const failed = /Failed to connect|command not found/.test(shown);
      if (!failed) await expect.poll(() => existsSync(done)).toBe(true);
      counted.push(`${name}: ${failed ? 'not possible here' : `${changes()} changes`}`);
    };
    for (const [name, [escape, env]] of Object.entries(escapes)) {
      const api = await tellingService();
      const {program, done} = programOf(refund, api.url, homeOf(name.replaceAll(/\W/g, '')), env);
      await count(name, escape(program), done, () => api.writes().length);
      await api.close();
    }
    // The shell that the agent starts is replaced, and the agent itself has no variable.
    const api = await tellingService();
    const {program} = programOf([...refund, '--yes'], api.url, homeOf('exec'));
    await inShell(`CLAUDECODE=1 bash -c ${shellQuote(`exec env -i ${program}`)}`, {});
    counted.push(`env -i in place of its shell, below an agent without a variable: ${api.writes().length} changes`);
    await api.close();
    console.info(`Known ways to leave an agent: ${counted.join('; ')}.`);
    expect(counted).toHaveLength(5);
  });
});
