// A private sshd on loopback, with keys of its own in a temporary folder.

import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {onTestFinished} from 'vitest';
import {temporaryDirectory} from '../cli.js';
import {freePort} from '../free-port.js';
import {untilGone} from './programs.js';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));

const KEYGEN = 'ssh-keygen';

/** Why no sshd can be run here, or undefined. */
export function sshdMissing(): string | undefined {
  if (SSHD === undefined) return 'sshd is not installed (apt install openssh-server)';
  for (const program of ['ssh', KEYGEN, 'ps'])
    if (spawnSync(program, ['-V']).error) return `${program} is not installed`;
  if (process.getuid?.() !== 0) return undefined;
  // As root, sshd wants this folder, which its service makes when it is started.
  try {
    mkdirSync('/run/sshd', {recursive: true, mode: 0o755});
  } catch {
    return '/run/sshd cannot be made';
  }
  return undefined;
}

/** The process and all that came from it, sessions in groups of their own included. */
function familyOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], {encoding: 'utf8'}).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const member of family) family.push(...pairs.filter(([, parent]) => parent === member).map(([child]) => child));
  return family;
}

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** Files: a key that the server accepts, one that it does not, and the server's own key as a client knows it. */
  readonly identity: string;
  readonly stranger: string;
  readonly knownHosts: string;
  readonly start: () => Promise<void>;
  /** Ends it and all its connections at once. */
  readonly kill: () => Promise<void>;
}

/** @param settings more lines for its configuration */
export async function privateSshd(settings: readonly string[] = []): Promise<Sshd> {
  const directory = join(temporaryDirectory(), 'with a blank and 100%');
  mkdirSync(directory);
  const file = (name: string): string => join(directory, name);
  for (const name of ['host', 'user', 'stranger'])
    execFileSync(KEYGEN, ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file(name)]);
  const port = await freePort();
  const publicKey = readFileSync(file('host.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  writeFileSync(file('known_hosts'), `[127.0.0.1]:${port} ${publicKey}\n`);
  writeFileSync(file('authorized_keys'), readFileSync(file('user.pub')));
  writeFileSync(
    file('sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey "${file('host')}"`,
      `AuthorizedKeysFile "${file('authorized_keys').replaceAll('%', '%%')}"`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      'PrintMotd no',
      'PrintLastLog no',
      ...settings,
    ].join('\n'),
  );

  let running: {pid: number; gone: Promise<void>} | undefined;
  const start = async (): Promise<void> => {
    const child = spawn(SSHD!, ['-D', '-e', '-f', file('sshd_config')], {stdio: ['ignore', 'ignore', 'pipe']});
    running = {pid: child.pid!, gone: new Promise((resolve) => child.once('exit', () => resolve()))};
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`sshd ended: ${said.join('\n')}`)));
      createInterface({input: child.stderr}).on('line', (line) => {
        said.push(line);
        if (line.startsWith('Server listening')) resolve();
      });
    });
  };
  const kill = async (): Promise<void> => {
    if (!running) return;
    const family = familyOf(running.pid);
    for (const pid of family) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone meanwhile.
      }
    }
    await running.gone;
    // Their ports are free only then.
    await untilGone(family);
    running = undefined;
  };
  await start();
  onTestFinished(kill);
  return {
    port,
    user: userInfo().username,
    identity: file('user'),
    stranger: file('stranger'),
    knownHosts: file('known_hosts'),
    start,
    kill,
  };
}
