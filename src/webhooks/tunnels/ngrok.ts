// A tunnel of ngrok, by the user's own ngrok and the account it is set up with.

import {programProvider, type ProgramTunnelOptions} from './program-tunnel.js';
import {quoteLine} from './quote.js';
import {publicBase, tunnelError, type TunnelProvider} from './tunnel.js';

const WHERE =
  'Get it from ngrok.com/download, then give it your token: ngrok config add-authtoken <token>. Or choose another --tunnel.';

interface LogLine {
  readonly msg?: unknown;
  readonly url?: unknown;
  readonly err?: unknown;
}

function readLog(line: string): LogLine {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Failures that the user can do something about, by ngrok's own numbers. */
const KNOWN: Readonly<Record<string, {code: `tunnel_${string}`; message: string; hint: string; retryable: boolean}>> = {
  ERR_NGROK_105: {
    code: 'tunnel_denied',
    message: 'ngrok refused the token it is set up with.',
    hint: 'Give it the right one: ngrok config add-authtoken <token>',
    retryable: false,
  },
  ERR_NGROK_108: {
    code: 'tunnel_limit',
    message: 'ngrok already runs as often as your account allows.',
    hint: 'End the other ngrok, or choose another --tunnel.',
    // After a lost connection the old session may still be counted for a while.
    retryable: true,
  },
  ERR_NGROK_4018: {
    code: 'tunnel_denied',
    message: 'ngrok has no token.',
    hint: 'Give it the one of your account: ngrok config add-authtoken <token>',
    retryable: false,
  },
};

function explain(lines: readonly string[]) {
  const text = lines.join('\n');
  const number = /ERR_NGROK_\d+/.exec(text)?.[0];
  const known = number === undefined ? undefined : KNOWN[number];
  if (known) return tunnelError(known.code, known.message, {why: `Its number for this is ${number}.`, ...known});
  const said = lines
    .map((line) => readLog(line).err)
    .findLast((err) => typeof err === 'string' && !/^<?nil>?$/.test(err));
  if (said === undefined) return undefined;
  return tunnelError('tunnel_failed', 'ngrok could not keep its tunnel open.', {
    why: `It said: ${quoteLine(String(said).replaceAll(/\s+/g, ' '))}`,
  });
}

/** @param publicUrl a name that the account has reserved; ngrok chooses one when not given */
export const ngrokProvider = ({publicUrl, ...options}: ProgramTunnelOptions & {publicUrl?: string}): TunnelProvider =>
  programProvider(
    {
      name: 'ngrok',
      program: 'ngrok',
      where: WHERE,
      explain,
      args: (localPort) => [
        'http',
        // With a bare port it would look for "localhost", which may be ::1, where nobody listens.
        `127.0.0.1:${localPort}`,
        '--log',
        'stdout',
        '--log-format',
        'json',
        ...(publicUrl === undefined ? [] : [`--url=${publicUrl}`]),
      ],
      reader:
        () =>
        (line = '') => {
          const {msg, url} = readLog(line);
          return msg === 'started tunnel' && typeof url === 'string' ? publicBase(url) : undefined;
        },
    },
    options,
  );
