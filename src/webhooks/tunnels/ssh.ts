// Tunnels through OpenSSH: to a port of the user's own server, or to a service's own host name.

import {Fault} from '../../input/fault.js';
import {type KnownFailure, type TunnelProgram, urlIn} from './program-tunnel.js';

export interface SshAddress {
  readonly user?: string;
  readonly host: string;
  /** Of the server's sshd; ssh's configuration decides by default. */
  readonly port?: number;
  /** The port that the server forwards; 0 for any free port. */
  readonly remotePort: number;
  /** The address on which the server listens. */
  readonly bind?: string;
  /** Services print the public URL in a session. The user's own server needs none. */
  readonly session: boolean;
  /** A file, like the next two. */
  readonly identity?: string;
  readonly knownHosts?: string;
  readonly config?: string;
}

const FORM = 'ssh:user@host[:port][?remote-port=…&bind=…&identity=…&known-hosts=…&config=…&session=yes|no]';
const SSH_SETTINGS = ['remote-port', 'bind', 'identity', 'known-hosts', 'config', 'session'];

/** Services that forward one of their host names when asked for port 80, and print the URL in a session. */
const SERVICES = /(^|\.)(localhost\.run|serveo\.net|pinggy\.io)$/;

const isPort = (text: string, lowest: number): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= lowest && Number(text) <= 65_535;

/** `user@host[:port][?…]`. ssh cannot mistake any part of it for an option. */
export function readSshAddress(text: string): Fault | SshAddress {
  const wrong = (why: string): Fault =>
    new Fault(`--tunnel ssh:${text} cannot be used.`, {why, hint: `Write it as ${FORM}`});
  const [, destination = '', query = ''] = /^([^?]*)\??(.*)$/.exec(text)!;
  const parts = /^(?:([^\s@-][^\s@]*)@)?(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9_][\w.-]*)(?::(\d+))?$/.exec(destination);
  if (!parts) return wrong(`${JSON.stringify(destination)} is not user@host:port.`);
  const [, user, bracketed, port] = parts;
  const host = bracketed!.replace(/^\[|\]$/g, '');
  const settings = new Map<string, string>();
  for (const pair of query.split('&').filter(Boolean)) {
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/.exec(pair)!;
    if (!SSH_SETTINGS.includes(key)) return wrong(`There is no setting ${JSON.stringify(key)}.`);
    try {
      settings.set(key, decodeURIComponent(value));
    } catch {
      return wrong(`The value of ${key} has a % that is not followed by two hexadecimal digits.`);
    }
  }
  const bind = settings.get('bind');
  if (bind !== undefined && !/^[\w.*:-]+$/.test(bind)) return wrong(`${JSON.stringify(bind)} is not a valid address.`);
  const isService = SERVICES.test(host);
  const session = settings.get('session') ?? (isService ? 'yes' : 'no');
  if (session !== 'yes' && session !== 'no') return wrong('session must be yes or no.');
  const remotePort = settings.get('remote-port') ?? (isService ? '80' : '0');
  if (port !== undefined && !isPort(port, 1)) return wrong(`${JSON.stringify(port)} is not a valid port.`);
  if (!isPort(remotePort, 0)) return wrong(`${JSON.stringify(remotePort)} is not a valid port.`);
  return {
    user,
    host,
    port: port === undefined ? undefined : Number(port),
    remotePort: Number(remotePort),
    bind,
    session: session === 'yes',
    identity: settings.get('identity'),
    knownHosts: settings.get('known-hosts'),
    config: settings.get('config'),
  };
}

const INSTALL =
  'Install the OpenSSH client: "apt install openssh-client" on Debian and Ubuntu. On macOS and Windows it is an optional feature.';

/** How services print the URL. Other URLs in their output have a path or are within a sentence. */
const URL_LINE =
  /(?:tunneled with tls termination,|forwarding http traffic from)\s*(https:\/\/\S+)$|^(https:\/\/[^\s/]+)$/i;

const OPTIONS = [
  'BatchMode=yes',
  'ExitOnForwardFailure=yes',
  // A lost server is noticed after 45 s.
  'ServerAliveInterval=15',
  'ServerAliveCountMax=3',
  'ConnectTimeout=15',
  // A shared connection would keep the port after this process ends.
  'ControlMaster=no',
  'ControlPath=none',
  'PermitLocalCommand=no',
];

/** For ssh's configuration language, where spaces separate values and % starts an expansion. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%').replaceAll('"', String.raw`\"`)}"`;

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export function sshArguments(address: SshAddress, localPort: number): string[] {
  const {user, host, port, remotePort, bind, session, identity, knownHosts, config} = address;
  const given = (option: string, value: number | string | undefined): string[] =>
    value === undefined ? [] : [option, String(value)];
  const options = [
    ...OPTIONS,
    ...(identity === undefined ? [] : [`IdentityFile=${quoted(identity)}`, 'IdentitiesOnly=yes']),
    ...(knownHosts === undefined ? [] : [`UserKnownHostsFile=${quoted(knownHosts)}`]),
  ];
  const listening = `${bind === undefined ? '' : `${bracketed(bind)}:`}${remotePort}`;
  return [
    // Only debug output (-v) reports that a fixed port is forwarded. No forwarding of the agent (-a) or of X11 (-x).
    ...['-v', '-T', ...(session ? [] : ['-N']), '-a', '-x'],
    ...given('-F', config),
    ...options.flatMap((option) => ['-o', option]),
    ...['-R', `${listening}:127.0.0.1:${localPort}`],
    ...given('-p', port),
    ...given('-l', user),
    ...['--', host],
  ];
}

function forwardedPort(line: string, remotePort: number): string | undefined {
  const pattern =
    remotePort === 0 ? /Allocated port (\d+) for remote forward/ : /remote forward success for: listen (?:\S*:)?(\d+)/;
  return pattern.exec(line)?.[1];
}

interface SshOptions {
  readonly publicUrl?: string;
  readonly pattern?: RegExp;
}

export const sshTunnel = (address: SshAddress, {publicUrl, pattern = URL_LINE}: SshOptions): TunnelProgram => ({
  program: 'ssh',
  where: INSTALL,
  holdInput: address.session,
  said: (line) => (/^debug\d: |^OpenSSH_/.test(line) ? undefined : line),
  failures: failuresOf(address),
  args: (localPort) => sshArguments(address, localPort),
  reader:
    () =>
    (line = '') => {
      if (address.session && publicUrl === undefined) return urlIn(line, pattern);
      const port = forwardedPort(line, address.remotePort);
      return port && (publicUrl ?? `http://${bracketed(address.host)}:${port}`);
    },
});

function failuresOf({user, host, port}: SshAddress): readonly KnownFailure[] {
  const login = `${port === undefined ? '' : `-p ${port} `}${user === undefined ? '' : `${user}@`}${host}`;
  return [
    {
      pattern: /Bad configuration option|Bad owner or permissions|terminating, \d+ bad configuration/,
      code: 'tunnel_ssh_config',
      message: 'ssh does not accept its configuration.',
      hint: `Check that this works: ssh ${login}`,
      retryable: false,
    },
    {
      pattern: /UNPROTECTED PRIVATE KEY FILE/,
      code: 'tunnel_denied',
      message: 'ssh does not use the private key, because other users can read its file.',
      hint: 'Restrict it to yourself: chmod 600 <file>',
      retryable: false,
    },
    {
      pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
      code: 'tunnel_host_key',
      message: `${host} has a different host key than before. It may be another machine.`,
      hint: `Ask its administrator. If the change is intended, remove the old key with ssh-keygen -R, then: ssh ${login}`,
      retryable: false,
    },
    {
      pattern: /Host key verification failed/,
      code: 'tunnel_host_key',
      message: `the host key of ${host} is not known on this machine.`,
      hint: `Connect once yourself, and compare the fingerprint: ssh ${login}`,
      retryable: false,
    },
    {
      pattern: /Permission denied \(|Too many authentication failures/,
      code: 'tunnel_denied',
      message: `${host} did not accept any of your keys.`,
      hint: `Check that this connects without asking: ssh -o BatchMode=yes ${login} (a key with a passphrase needs ssh-add; another file: ?identity=…)`,
      retryable: false,
    },
    {
      pattern: /remote port forwarding failed for listen (?:port|path)/,
      code: 'tunnel_port_taken',
      message: `${host} does not forward the port.`,
      hint: 'The port may be in use: use ?remote-port=0 for a free one. Or the server forbids forwarding (AllowTcpForwarding).',
    },
    {
      pattern: /Could not resolve hostname/,
      code: 'tunnel_unreachable',
      message: `the host name ${host} does not exist.`,
      hint: 'Check the name, and that this machine is online.',
    },
    {
      pattern: /^(?:ssh: )?connect to (?:host|address) .*: Connection refused|kex_exchange_identification: .*/,
      code: 'tunnel_refused',
      message: `${host} refused the ssh connection at this port.`,
      hint: 'Check that sshd is running there, and the port: ssh:user@host:port',
    },
    {
      pattern: /Connection timed out|Operation timed out|No route to host|Network is unreachable/,
      code: 'tunnel_unreachable',
      message: `${host} cannot be reached.`,
      hint: 'Check that this machine is online, and that no firewall blocks the connection.',
    },
    {
      pattern:
        /Timeout, server .* not responding|closed by remote host|Broken pipe|Connection reset|closed by .* port \d+/,
      code: 'tunnel_lost',
      message: `the connection to ${host} was lost.`,
      hint: 'Check that the server is running, and that this machine is online.',
    },
  ];
}
