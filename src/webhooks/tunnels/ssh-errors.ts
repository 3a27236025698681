// Explains ssh's error messages, with what to do about each.

import type {CentavoError} from '../../errors.js';
import {quoteLine} from './program-tunnel.js';
import {tunnelError} from './tunnel.js';

interface Known {
  readonly pattern: RegExp;
  readonly code: `tunnel_${string}`;
  readonly message: (host: string) => string;
  readonly hint: (login: string) => string;
  /** False when only the user can change it. */
  readonly retryable: boolean;
}

/** In order: a message that follows from another comes after it. */
const KNOWN: readonly Known[] = [
  {
    pattern: /Bad configuration option|Bad owner or permissions|terminating, \d+ bad configuration/,
    code: 'tunnel_ssh_config',
    message: () => 'ssh does not accept its configuration.',
    hint: (login) => `Check that this works: ssh ${login}`,
    retryable: false,
  },
  {
    pattern: /UNPROTECTED PRIVATE KEY FILE/,
    code: 'tunnel_denied',
    message: () => 'ssh does not use the private key, because other users can read its file.',
    hint: () => 'Restrict it to yourself: chmod 600 <file>',
    retryable: false,
  },
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: 'tunnel_host_key',
    message: (host) => `${host} has a different host key than before. It may be another machine.`,
    hint: (login) =>
      `Ask its administrator. If the change is intended, remove the old key with ssh-keygen -R, then: ssh ${login}`,
    retryable: false,
  },
  {
    pattern: /Host key verification failed/,
    code: 'tunnel_host_key',
    message: (host) => `the host key of ${host} is not known on this machine.`,
    hint: (login) => `Connect once yourself, and compare the fingerprint: ssh ${login}`,
    retryable: false,
  },
  {
    pattern: /Permission denied \(|Too many authentication failures/,
    code: 'tunnel_denied',
    message: (host) => `${host} did not accept any of your keys.`,
    hint: (login) =>
      `Check that this connects without asking: ssh -o BatchMode=yes ${login} (a key with a passphrase needs ssh-add; another file: ?identity=…)`,
    retryable: false,
  },
  {
    pattern: /remote port forwarding failed for listen (?:port|path)/,
    code: 'tunnel_port_taken',
    message: (host) => `${host} does not forward the port.`,
    hint: () =>
      'The port may be in use: use ?remote-port=0 for a free one. Or the server forbids forwarding (AllowTcpForwarding).',
    retryable: true,
  },
  {
    pattern: /Could not resolve hostname/,
    code: 'tunnel_unreachable',
    message: (host) => `the host name ${host} does not exist.`,
    hint: () => 'Check the name, and that this machine is online.',
    retryable: true,
  },
  {
    pattern: /^(?:ssh: )?connect to (?:host|address) .*: Connection refused|kex_exchange_identification: .*/m,
    code: 'tunnel_refused',
    message: (host) => `${host} refused the ssh connection at this port.`,
    hint: () => 'Check that sshd is running there, and the port: ssh:user@host:port',
    retryable: true,
  },
  {
    pattern: /Connection timed out|Operation timed out|No route to host|Network is unreachable/,
    code: 'tunnel_unreachable',
    message: (host) => `${host} cannot be reached.`,
    hint: () => 'Check that this machine is online, and that no firewall blocks the connection.',
    retryable: true,
  },
  {
    pattern:
      /Timeout, server .* not responding|closed by remote host|Broken pipe|Connection reset|closed by .* port \d+/,
    code: 'tunnel_lost',
    message: (host) => `the connection to ${host} was lost.`,
    hint: () => 'Check that the server is running, and that this machine is online.',
    retryable: true,
  },
];

/** The error for what ssh printed, if it is known. */
export function explainSsh(
  {user, host, port}: {readonly user?: string; readonly host: string; readonly port?: number},
  lines: readonly string[],
): CentavoError | undefined {
  const text = lines.join('\n');
  const known = KNOWN.find(({pattern}) => pattern.test(text));
  if (!known) return undefined;
  const login = `${port === undefined ? '' : `-p ${port} `}${user === undefined ? '' : `${user}@`}${host}`;
  const said = lines.find((line) => known.pattern.test(line));
  return tunnelError(known.code, known.message(host), {
    why: said === undefined ? undefined : `ssh printed: ${quoteLine(said)}`,
    hint: known.hint(login),
    retryable: known.retryable,
  });
}
