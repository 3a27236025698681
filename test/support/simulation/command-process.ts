// One command line as a process of a simulated world: it can die at each request, wait and commit, and its answers can be lost.

import {seededRandom} from '../../../src/common/seeded-random.js';
import {cliEnvironment} from '../cli.js';
import {runIn, type Context} from '../commands.js';
import {versionOf} from './embedded-account.js';
import {asProcess, closeAll, type Killable} from './killable-process.js';
import {patient, type Around, type World} from './world.js';

/** A person at the terminal. */
export type Person = Pick<Context['prompt'], 'confirm' | 'select' | 'text'>;

export interface CommandLine {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly person: Person | undefined;
  /** Milliseconds by which the clock of this machine is ahead: it may be set at any time. */
  readonly ahead: () => number;
  /** Chance of a kill at each commit. */
  readonly commitKills: number;
  readonly onCommitKill: () => void;
  readonly seed: number;
  /** Processes that live. */
  readonly living: Set<number>;
}

/** What a command said at its end. */
export interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** As in the history: `ok`, or the code of the error. */
  readonly result: string;
  readonly applied: string | null;
}

/** Above all pids of Linux, so that /proc has none of them. */
const FIRST_PID = 5_000_000;

export async function runCommand(world: World, around: Around, line: CommandLine): Promise<Said> {
  const {argv, folder, person, ahead, commitKills, seed, living} = line;
  const chance = seededRandom(seed);
  const aheadAtStart = ahead();
  const pid = FIRST_PID + around.run;
  const startedAt = around.run;
  const {alive, end, random, signal, transport} = around;
  const sleep = patient(around.sleep);
  const own: Killable = {
    ...{isAlive: alive, transport, sleep, serviceNow: world.now, open: new Set()},
    commits: () => {
      if (chance() >= commitKills) return;
      line.onCommitKill();
      end();
    },
  };
  living.add(pid);
  around.whenDead(() => {
    living.delete(pid);
    closeAll(own);
  });
  let [stdout, stderr] = ['', ''];
  const stream = (add: (text: string) => void): any => ({
    write(text: string, done?: () => void) {
      add(text);
      done?.();
      return true;
    },
    on: () => {},
    isTTY: person !== undefined,
    columns: 100,
  });
  const kill = (other: number): void => {
    if (!living.has(other)) throw Object.assign(new Error('No such process.'), {code: 'ESRCH'});
  };
  let ended: Pick<Said, 'applied' | 'result'> = {result: '', applied: null};
  const adapt = (context: Context): Context => ({
    ...context,
    ...(person && {prompt: {...context.prompt, ...person}}),
    finish: (outcome) => {
      ended = outcome;
      context.finish(outcome);
    },
  });
  const surroundings = {
    version: versionOf(around.run),
    env: cliEnvironment(folder, line.env),
    stdin: {isTTY: person !== undefined},
    stdout: {...stream((text) => (stdout += text)), isTTY: false},
    stderr: stream((text) => (stderr += text)),
    now: () => world.now() + ahead(),
    steadyNow: () => world.now() + aheadAtStart,
    identity: {pid, startedAt},
    randomBytes: (size: number) => Uint8Array.from({length: size}, () => Math.floor(random() * 256)),
    ...{random, sleep, signal, kill},
  };
  const received = (): number | undefined => (signal.aborted ? 130 : undefined);
  const status = await asProcess(own, () => runIn(folder, argv, surroundings, received, adapt));
  return {status, stdout, stderr, ...ended};
}
