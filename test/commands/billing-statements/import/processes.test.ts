// Imports in real processes: killed, interrupted, on a full disk, twice at once, and continued by the printed command.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {commandsIn} from '../../../support/commands.js';
import {
  importFile,
  importService,
  type ImportFaults,
  type ImportService,
} from '../../../support/services/import-service.js';
import {
  cli,
  cliEnvironment,
  NO_LIMITS,
  resultOf,
  RUN,
  temporaryDirectory,
  type CliResult,
} from '../../../support/cli.js';
import {some} from '../../../support/test-size.js';

const COUNT = 12;

/** Runs in this process, with a short settle time, for imports that are not killed. */
const inProcess = (directory: string, {env}: ImportService): ReturnType<typeof commandsIn> =>
  commandsIn(directory, {env, pace: 0.01});

async function stage(faults: ImportFaults = {}, count = COUNT) {
  const service = await importService(faults);
  onTestFinished(() => service.close());
  const directory = temporaryDirectory();
  const file = join(directory, 'june.csv');
  const {text, amounts} = importFile(count);
  writeFileSync(file, text);
  return {service, directory, file, amounts, text, run: inProcess(directory, service)};
}

/** Starts an import and gives its process a signal at the change with this number, and another one at each that is under way then. Only they end it: no time limit does. */
async function stoppedAt(
  service: ImportService,
  directory: string,
  args: readonly string[],
  at: number,
  signals: readonly NodeJS.Signals[],
): Promise<CliResult & {signal: NodeJS.Signals | null}> {
  const child = spawn(process.execPath, [RUN, ...args], {
    // A second is what an import waits between two rounds.
    env: cliEnvironment(directory, {...service.env, ...NO_LIMITS, LONG_TIMER: '1001'}),
  });
  const {faults} = service;
  let seen = 0;
  service.faults = {
    ...faults,
    onChange: () => {
      const signal = signals[++seen - at];
      if (signal) child.kill(signal);
    },
  };
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  service.faults = faults;
  return {...resultOf(status, stdout, stderr), signal};
}

const jobsIn = (directory: string): string[] =>
  readdirSync(join(directory, 'jobs'))
    .filter((name) => name.endsWith('.db'))
    .map((name) => name.slice(0, -3));

const importing = (file: string, ...more: string[]): string[] => [
  'billing-statements',
  'import',
  file,
  '--send',
  '--yes',
  ...more,
];

async function killedAt(at: number): Promise<void> {
  const {service, directory, file, amounts, run} = await stage();
  const killed = await stoppedAt(service, directory, importing(file), at, ['SIGKILL']);
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  const [job] = jobsIn(directory);
  expect((await run(['jobs', 'list', '--json'])).rows()[0]).toMatchObject({id: job, state: 'stopped'});
  const resumed = await run(['jobs', 'resume', job!, '--yes']);
  expect([0, 11], resumed.stderr).toContain(resumed.status);
  expect(await service.wrong(amounts)).toEqual([]);
  // Only running sends are uncertain, and they are named.
  const sent = [...service.emails().values()].reduce((sum, times) => sum + times, 0);
  if (resumed.status === 0) expect(sent).toBe(COUNT);
  else expect(resumed.stderr).toMatch(/may have been sent[^]*jobs get job_\w+ --open/);
}

async function signalled(signals: readonly NodeJS.Signals[], status: number): Promise<void> {
  const {service, directory, file, amounts, run} = await stage({latency: 30});
  const stopped = await stoppedAt(service, directory, importing(file), 25, signals);
  expect(stopped, stopped.stderr).toMatchObject({status, signal: null});
  const line = /To continue: centavo (jobs resume job_\w+)/.exec(stopped.stderr)?.[1];
  // The second Ctrl-C prints nothing.
  if (signals[1] !== 'SIGINT') expect(line, stopped.stderr).toBeDefined();
  const resumed = await run([...(line ?? `jobs resume ${jobsIn(directory)[0]}`).split(' '), '--yes']);
  expect(resumed.status, resumed.stderr).toBe(0);
  expect(await service.wrong(amounts)).toEqual([]);
  expect(service.emails().size).toBe(COUNT);
}

async function killedWithStdin(): Promise<void> {
  const {service, directory, amounts, text, run} = await stage();
  const child = spawn(process.execPath, [RUN, ...importing('-')], {env: cliEnvironment(directory, service.env)});
  service.faults = {
    onChange: (number) => {
      if (number === 30) child.kill('SIGKILL');
    },
  };
  child.stdin.end(text);
  await once(child, 'close');
  const resumed = await run(['jobs', 'resume', jobsIn(directory)[0]!, '--yes']);
  expect(resumed.status, resumed.stderr).toBe(0);
  expect(await service.wrong(amounts)).toEqual([]);
}

test('the printed command continues a killed, interrupted or piped import and sends each once', async () => {
  await Promise.all([
    ...some([1, 60, 20], 2).map(killedAt),
    signalled(['SIGINT'], 130),
    signalled(['SIGTERM'], 143),
    signalled(['SIGINT', 'SIGINT'], 130),
    signalled(['SIGHUP', 'SIGHUP'], 143),
    killedWithStdin(),
  ]);
});

test('refuses a second process on the same job', async () => {
  const {service, directory, file, amounts, run} = await stage({latency: 40});
  const first = cli(directory, {env: service.env})(importing(file));
  let begun: () => void;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  service.faults = {latency: 40, onChange: () => begun()};
  await isBegun;
  const second = await run(['jobs', 'resume', jobsIn(directory)[0]!, '--yes', '--json']);
  expect(second).toMatchObject({status: 12, stdout: ''});
  expect(second.error()).toMatchObject({code: 'in_progress', applied: 'no', retryable: true});
  const again = await run(importing(file, '--period', 'month', '--json'));
  expect(again.error()).toMatchObject({code: 'in_progress', retryable: true, job: jobsIn(directory)[0]});
  expect((await run(['jobs', 'remove', jobsIn(directory)[0]!, '--yes'])).status).toBe(12);
  expect((await first).status).toBe(0);
  expect(await service.wrong(amounts)).toEqual([]);
});

test('another machine takes over the drafts and resends none that may have been sent', async () => {
  const {service, directory, file, amounts, text} = await stage();
  // Drafts 12 × about 4 calls; it dies while it finalizes and sends.
  await stoppedAt(service, directory, importing(file), 75, ['SIGKILL']);
  const before = new Map(service.emails());
  expect(before.size).toBeGreaterThan(0);
  const elsewhere = temporaryDirectory();
  writeFileSync(join(elsewhere, 'june.csv'), text);
  const other = inProcess(elsewhere, service);
  const refused = await other(importing(join(elsewhere, 'june.csv')));
  expect(refused).toMatchObject({status: 12, stderr: expect.stringContaining('created by another run')});
  const adopted = await other(importing(join(elsewhere, 'june.csv'), '--adopt'));
  expect(adopted.status, adopted.stderr).toBe(11);
  expect(adopted.stderr).toContain('emailed is not known');
  expect(await service.wrong(amounts)).toEqual([]);
  for (const [id, times] of before) expect(service.emails().get(id)).toBe(times);
});

test('the job file is private and contains no key', async () => {
  const {service, directory, file, run} = await stage();
  expect((await run(importing(file))).status).toBe(0);
  const folder = join(directory, 'jobs');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(join(folder, name)).toString('latin1');
    expect(bytes).not.toContain(service.key);
    expect(bytes).not.toContain(Buffer.from(`${service.key}:`).toString('base64').slice(0, 24));
  }
  expect(existsSync(join(directory, 'june-result.csv'))).toBe(true);
});

/** A small disk of its own for one script; no one else sees it, and it goes with the script. */
const onADisk = (directory: string, kilobytes: number, script: string): [string, string[]] => [
  'unshare',
  [
    ...['--map-root-user', '--mount', 'sh', '-c'],
    `mount -t tmpfs -o size=${kilobytes}k,mode=700 tmpfs "$1"; ${script}`,
    ...['sh', directory],
  ],
];
const trial = spawnSync(...onADisk('/mnt', 512, 'true'), {encoding: 'utf8'});
const noDisk = trial.status === 0 && !trial.stderr ? undefined : (trial.error?.message ?? trial.stderr.trim());
if (noDisk) console.warn(`Skipped, for want of leave to mount a disk: ${noDisk}`);

/** A disk that fills up after a number of changes. */
async function onFullDisk(changes: number): Promise<string> {
  const [disk, folder] = [temporaryDirectory(), temporaryDirectory()];
  const service = await importService({
    latency: 20,
    onChange: (number) => {
      if (number === changes) writeFileSync(join(folder, 'now'), '');
    },
  });
  onTestFinished(() => service.close());
  const {text, amounts} = importFile(COUNT);
  writeFileSync(join(folder, 'june.csv'), text);
  const script = `cd "$2"
    centavo() { "$NODE" "$RUN" "$@" --yes; echo "exit $?" >&2; }
    (while [ ! -e now ]; do sleep 0.02; done; head -c 9000000 /dev/zero > "$1"/filler) 2>/dev/null &
    centavo billing-statements import june.csv --send --result result.csv
    rm "$1"/filler
    centavo jobs resume $(cd "$1"/jobs; ls job_*.db | sed 's/.db$//')`;
  const [command, args] = onADisk(disk, 8192, script);
  const child = spawn(command, [...args, folder], {
    env: {...cliEnvironment(disk, service.env), NODE: process.execPath, RUN},
  });
  let stderr = '';
  child.stderr.on('data', (more) => (stderr += more));
  child.stdout.resume();
  await once(child, 'close');
  expect(stderr).not.toMatch(/bug| at .*\.js:/);
  expect(await service.wrong(amounts), stderr).toEqual([]);
  const named = Number(/(\d+) may have been sent[^]*(\d+) may have been sent/.exec(stderr)?.[2] ?? 0);
  expect(service.emails().size + named, stderr).toBeGreaterThanOrEqual(COUNT);
  return stderr;
}

test.skipIf(noDisk)('loses nothing and sends nothing twice when the disk fills up at any time', async () => {
  const told = await Promise.all(some([1, 12, 30, 50, 60, 66], 3).map(onFullDisk));
  const full = told.filter((text) => /The disk is full[^]*To continue: centavo jobs resume[^]*^exit 15/m.test(text));
  expect(full.length, told.join('\n---\n')).toBeGreaterThan(told.length / 2);
});
