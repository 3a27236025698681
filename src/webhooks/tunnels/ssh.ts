// A tunnel by OpenSSH: a port of the user's own server, or a name of a service that speaks ssh.

import {urlIn} from './command.js';
import {programProvider, type ProgramTunnelOptions} from './program-tunnel.js';
import type {SshAddress} from './ssh-address.js';
import {explainSsh} from './ssh-errors.js';
import type {TunnelProvider} from './tunnel.js';

const WHERE =
  'Install the OpenSSH client: "apt install openssh-client" on Debian and Ubuntu; macOS and Windows have it as an optional part.';

/** How services tell the URL. Their greetings hold other URLs, with a path or within a sentence. */
const TOLD =
  /(?:tunneled with tls termination,|forwarding http traffic from)\s*(https:\/\/\S+)$|^(https:\/\/[^\s/]+)$/i;

const OPTIONS = [
  'BatchMode=yes',
  'ExitOnForwardFailure=yes',
  // A server that is gone without a word is noticed after 45 s.
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ConnectTimeout=15',
  // A connection that is shared with others would keep the port after this one has ended.
  'ControlMaster=no',
  'ControlPath=none',
  'PermitLocalCommand=no',
];

/** A path as a value in ssh's configuration language, where blanks part values and % begins an expansion. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%').replaceAll('"', String.raw`\"`)}"`;

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** @param localPort where requests shall arrive on this machine */
export function sshArguments(address: SshAddress, localPort: number): string[] {
  const {user, host, port, remotePort, bind, session, identity, knownHosts, config} = address;
  const options = [
    ...OPTIONS,
    ...(identity === undefined ? [] : [`IdentityFile=${quoted(identity)}`, 'IdentitiesOnly=yes']),
    ...(knownHosts === undefined ? [] : [`UserKnownHostsFile=${quoted(knownHosts)}`]),
  ];
  return [
    // Nothing tells otherwise that a fixed port is forwarded.
    '-v',
    '-T',
    ...(session ? [] : ['-N']),
    // Neither keys nor windows of this machine are the server's business.
    '-a',
    '-x',
    ...(config === undefined ? [] : ['-F', config]),
    ...options.flatMap((option) => ['-o', option]),
    '-R',
    `${bind === undefined ? '' : `${bracketed(bind)}:`}${remotePort}:127.0.0.1:${localPort}`,
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    '--',
    host,
  ];
}

/** The port that the server forwards now, if the line says so. */
function forwardedPort(line: string, remotePort: number): string | undefined {
  const pattern =
    remotePort === 0 ? /Allocated port (\d+) for remote forward/ : /remote forward success for: listen (?:\S*:)?(\d+)/;
  return pattern.exec(line)?.[1];
}

export interface SshOptions extends ProgramTunnelOptions {
  readonly address: SshAddress;
  /** Where the tunnel is reached, when something on the server leads there. */
  readonly publicUrl?: string;
  /** How a service tells its URL, when it is none of those known. */
  readonly pattern?: RegExp;
}

export function sshProvider({address, publicUrl, pattern = TOLD, ...options}: SshOptions): TunnelProvider {
  return programProvider(
    {
      name: 'ssh',
      program: 'ssh',
      where: WHERE,
      holdInput: address.session,
      isNoise: (line) => /^debug\d: |^OpenSSH_/.test(line),
      explain: (lines) => explainSsh(address, lines),
      args: (localPort) => sshArguments(address, localPort),
      reader:
        () =>
        (line = '') => {
          if (address.session && publicUrl === undefined) return urlIn(line, pattern);
          const port = forwardedPort(line, address.remotePort);
          return port && (publicUrl ?? `http://${bracketed(address.host)}:${port}`);
        },
    },
    options,
  );
}
