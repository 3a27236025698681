// A tunnel by OpenSSH: a port of the user's own server, or a name of a service that speaks ssh.

import {usageError} from '../../errors.js';
import {programProvider, urlIn, type ProgramTunnelOptions} from './program-tunnel.js';
import {explainSsh} from './ssh-errors.js';
import type {TunnelProvider} from './tunnel.js';

export interface SshAddress {
  readonly user?: string;
  readonly host: string;
  /** The port of the server's sshd; ssh's own settings decide by default. */
  readonly port?: number;
  /** The port that the server forwards; 0 lets it choose. */
  readonly remotePort: number;
  /** The address that the server listens on; its own default when not given. */
  readonly bind?: string;
  /** Whether a session is opened, in which services tell the public URL. One's own server needs none. */
  readonly session: boolean;
  /** Files. */
  readonly identity?: string;
  readonly knownHosts?: string;
  readonly config?: string;
}

const FORM = 'ssh:user@host[:port][?remote-port=…&bind=…&identity=…&known-hosts=…&config=…&session=yes|no]';
const KEYS = ['remote-port', 'bind', 'identity', 'known-hosts', 'config', 'session'];

/** Services that forward to their own names when asked for port 80, and tell the URL in a session. */
const SERVICES = /(^|\.)(localhost\.run|serveo\.net|pinggy\.io)$/;

const wrong = (text: string, why: string) =>
  usageError(`--tunnel ssh:${text} cannot be used.`, {why, hint: `Write it as ${FORM}`});

function portIn(text: string, value: string | undefined, lowest: number): number | undefined {
  if (value === undefined) return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (port < lowest || port > 65_535) throw wrong(text, `${JSON.stringify(value)} is not a valid port.`);
  return port;
}

function settingsIn(text: string, query: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const pair of query.split('&').filter(Boolean)) {
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/.exec(pair)!;
    if (!KEYS.includes(key)) throw wrong(text, `There is no setting ${JSON.stringify(key)}.`);
    try {
      settings.set(key, decodeURIComponent(value));
    } catch {
      throw wrong(text, `The value of ${key} has a % that is not followed by two hexadecimal digits.`);
    }
  }
  return settings;
}

/** `user@host[:port][?…]`. Nothing that is accepted can be taken for an option by ssh. @throws CentavoError kind `usage` */
export function parseSshAddress(text: string): SshAddress {
  const [, destination = '', query = ''] = /^([^?]*)\??(.*)$/.exec(text)!;
  const parts = /^(?:([^\s@-][^\s@]*)@)?(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9_][\w.-]*)(?::(\d+))?$/.exec(destination);
  if (!parts) throw wrong(text, `${JSON.stringify(destination)} is not user@host:port.`);
  const [, user, bracketed, port] = parts;
  const host = bracketed!.replace(/^\[|\]$/g, '');
  const settings = settingsIn(text, query);
  const bind = settings.get('bind');
  if (bind !== undefined && !/^[\w.*:-]+$/.test(bind))
    throw wrong(text, `${JSON.stringify(bind)} is not a valid address.`);
  const session = settings.get('session') ?? (SERVICES.test(host) ? 'yes' : 'no');
  if (session !== 'yes' && session !== 'no') throw wrong(text, 'session must be yes or no.');
  return {
    user,
    host,
    port: portIn(text, port, 1),
    remotePort: portIn(text, settings.get('remote-port'), 0) ?? (SERVICES.test(host) ? 80 : 0),
    bind,
    session: session === 'yes',
    identity: settings.get('identity'),
    knownHosts: settings.get('known-hosts'),
    config: settings.get('config'),
  };
}

const WHERE =
  'Install the OpenSSH client: "apt install openssh-client" on Debian and Ubuntu. On macOS and Windows it is an optional feature.';

/** How services print the URL. Their greetings contain other URLs, with a path or within a sentence. */
const TOLD =
  /(?:tunneled with tls termination,|forwarding http traffic from)\s*(https:\/\/\S+)$|^(https:\/\/[^\s/]+)$/i;

const OPTIONS = [
  'BatchMode=yes',
  'ExitOnForwardFailure=yes',
  // A server that vanishes is noticed after 45 s.
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ConnectTimeout=15',
  // A shared connection would keep the port after this process has ended.
  'ControlMaster=no',
  'ControlPath=none',
  'PermitLocalCommand=no',
];

/** A path as a value in ssh's configuration language, where spaces separate values and % starts an expansion. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%').replaceAll('"', String.raw`\"`)}"`;

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** @param localPort where requests arrive on this machine */
export function sshArguments(address: SshAddress, localPort: number): string[] {
  const {user, host, port, remotePort, bind, session, identity, knownHosts, config} = address;
  const options = [
    ...OPTIONS,
    ...(identity === undefined ? [] : [`IdentityFile=${quoted(identity)}`, 'IdentitiesOnly=yes']),
    ...(knownHosts === undefined ? [] : [`UserKnownHostsFile=${quoted(knownHosts)}`]),
  ];
  return [
    // Only debug output says that a fixed port is forwarded.
    '-v',
    '-T',
    ...(session ? [] : ['-N']),
    // No forwarding of the agent or of X11.
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

/** The port that the server forwards, if the line says so. */
function forwardedPort(line: string, remotePort: number): string | undefined {
  const pattern =
    remotePort === 0 ? /Allocated port (\d+) for remote forward/ : /remote forward success for: listen (?:\S*:)?(\d+)/;
  return pattern.exec(line)?.[1];
}

export interface SshOptions extends ProgramTunnelOptions {
  readonly address: SshAddress;
  /** Where the tunnel is reached, when something on the server leads there. */
  readonly publicUrl?: string;
  /** How a service that is not known here prints its URL. */
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
