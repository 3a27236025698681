// `user@host[:port][?…]`: which server a tunnel by ssh goes to, and how.

import {usageError} from '../../errors.js';

export interface SshAddress {
  readonly user?: string;
  readonly host: string;
  /** Where the server's sshd listens; as ssh's own settings say when not given. */
  readonly port?: number;
  /** The port that the server forwards; 0 lets it choose. */
  readonly remotePort: number;
  /** The address that the server listens on; its own default when not given. */
  readonly bind?: string;
  /** Whether a session is opened, in which the server tells the public URL: services do, one's own server does not. */
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
  if (port < lowest || port > 65_535) throw wrong(text, `${JSON.stringify(value)} is no port.`);
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

/** @throws CentavoError kind `usage`; nothing that is accepted can be taken for an option by ssh */
export function parseSshAddress(text: string): SshAddress {
  const [, destination = '', query = ''] = /^([^?]*)\??(.*)$/.exec(text)!;
  const parts = /^(?:([^\s@-][^\s@]*)@)?(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9_][\w.-]*)(?::(\d+))?$/.exec(destination);
  if (!parts) throw wrong(text, `${JSON.stringify(destination)} is no user@host:port.`);
  const [, user, bracketed, port] = parts;
  const host = bracketed!.replace(/^\[|\]$/g, '');
  const settings = settingsIn(text, query);
  const bind = settings.get('bind');
  if (bind !== undefined && !/^[\w.*:-]+$/.test(bind)) throw wrong(text, `${JSON.stringify(bind)} is no address.`);
  const session = settings.get('session') ?? (SERVICES.test(host) ? 'yes' : 'no');
  if (session !== 'yes' && session !== 'no') throw wrong(text, 'session is yes or no.');
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
