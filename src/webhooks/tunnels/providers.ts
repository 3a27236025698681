// Tunnels made by the user's own cloudflared, ngrok, or any other command.

import {devNull} from 'node:os';
import {usageError} from '../../ground/errors.js';
import {splitWords} from '../../input/shell-words.js';
import {programProvider, quoteLine, urlIn, type ProgramTunnelOptions} from './program-tunnel.js';
import {publicBase, tunnelError, type TunnelProvider} from './tunnel.js';

/** The output also contains the service's own host names. */
const CLOUDFLARED_URL = /https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com\b/;

const explainCloudflared = (lines: readonly string[]) =>
  lines.some((line) => /429 Too Many Requests|status_code="?429/.test(line))
    ? tunnelError('tunnel_rate_limited', 'Cloudflare refused another quick tunnel for now.', {
        why: 'It limits how many quick tunnels you can open.',
        hint: 'Wait a few minutes, or use another --tunnel.',
      })
    : undefined;

/** A quick tunnel, which needs no account and has a new host name at every start. */
export const cloudflaredProvider = (options: ProgramTunnelOptions): TunnelProvider =>
  programProvider(
    {
      name: 'cloudflared',
      program: 'cloudflared',
      where:
        'Get it from github.com/cloudflare/cloudflared/releases ("brew install cloudflared", "winget install Cloudflare.cloudflared"), or use another --tunnel.',
      explain: explainCloudflared,
      // The rules of the user's configuration would respond with 404 for the host name of a quick tunnel.
      args: (localPort) => ['tunnel', '--config', devNull, '--url', `http://127.0.0.1:${localPort}`, '--no-autoupdate'],
      reader: () => {
        let url: string | undefined;
        let registered = false;
        return (line = '') => {
          url ??= CLOUDFLARED_URL.exec(line)?.[0];
          // The URL is printed before it works.
          registered ||= line.includes('Registered tunnel connection');
          return registered ? url : undefined;
        };
      },
    },
    options,
  );

interface NgrokLine {
  readonly msg?: unknown;
  readonly url?: unknown;
  readonly err?: unknown;
}

function readNgrok(line: string): NgrokLine {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Failures that the user can fix. */
const NGROK_ERRORS: Readonly<
  Record<string, {code: `tunnel_${string}`; message: string; hint: string; retryable: boolean}>
> = {
  ERR_NGROK_105: {
    code: 'tunnel_denied',
    message: 'ngrok refused your authtoken.',
    hint: 'Set the right one: ngrok config add-authtoken <token>',
    retryable: false,
  },
  ERR_NGROK_108: {
    code: 'tunnel_limit',
    message: 'your ngrok account does not allow another session.',
    hint: 'Stop the other ngrok, or use another --tunnel.',
    // The session of a lost connection may still be counted for a while.
    retryable: true,
  },
  ERR_NGROK_4018: {
    code: 'tunnel_denied',
    message: 'ngrok has no authtoken.',
    hint: 'Set the one of your account: ngrok config add-authtoken <token>',
    retryable: false,
  },
};

function explainNgrok(lines: readonly string[]) {
  const text = lines.join('\n');
  const number = /ERR_NGROK_\d+/.exec(text)?.[0];
  const known = number === undefined ? undefined : NGROK_ERRORS[number];
  if (known) return tunnelError(known.code, known.message, {why: `ngrok reported ${number}.`, ...known});
  const said = lines
    .map((line) => readNgrok(line).err)
    .findLast((err) => typeof err === 'string' && !/^<?nil>?$/.test(err));
  if (said === undefined) return undefined;
  return tunnelError('tunnel_failed', 'ngrok could not keep its tunnel open.', {
    why: `It printed: ${quoteLine(String(said).replaceAll(/\s+/g, ' '))}`,
  });
}

/** @param publicUrl a URL that is reserved in the user's account; ngrok chooses one by default */
export const ngrokProvider = ({publicUrl, ...options}: ProgramTunnelOptions & {publicUrl?: string}): TunnelProvider =>
  programProvider(
    {
      name: 'ngrok',
      program: 'ngrok',
      where:
        'Get it from ngrok.com/download, then set your authtoken: ngrok config add-authtoken <token>. Or use another --tunnel.',
      explain: explainNgrok,
      args: (localPort) => [
        'http',
        // With a port alone ngrok connects to "localhost", which may be ::1, where nothing listens.
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
          const {msg, url} = readNgrok(line);
          return msg === 'started tunnel' && typeof url === 'string' ? publicBase(url) : undefined;
        },
    },
    options,
  );

export interface CommandOptions extends ProgramTunnelOptions {
  /** `{port}` is replaced by the local port. */
  readonly command: string;
  readonly pattern?: RegExp;
  /** The tunnel's URL. Without a pattern it is ready as soon as the program has started. */
  readonly publicUrl?: string;
}

export function commandProvider({command, pattern, publicUrl, ...options}: CommandOptions): TunnelProvider {
  const [program, ...args] = splitWords(command);
  if (!program)
    throw usageError('--tunnel command: needs a program.', {
      hint: `For example: --tunnel 'command:mytunnel http {port}'`,
    });
  if (pattern === undefined && publicUrl === undefined) {
    throw usageError('--tunnel command: needs the URL of the tunnel.', {
      hint: String.raw`Add --tunnel-url-pattern 'https://\S+', which finds the URL in its output, or --public-url https://…`,
    });
  }
  return programProvider(
    {
      name: 'command',
      program,
      where: 'It is the first word of --tunnel command:…. Check the spelling.',
      args: (localPort) => args.map((word) => word.replaceAll('{port}', String(localPort))),
      reader: () => (line) => {
        if (pattern === undefined) return publicUrl;
        const found = line === undefined ? undefined : urlIn(line, pattern);
        return found && (publicUrl ?? found);
      },
    },
    options,
  );
}
