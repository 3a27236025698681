// Reads `--tunnel` and `--public-url`: tunnels opened by the user's own cloudflared, ngrok, or any other command.

import {devNull} from 'node:os';
import {isJsonObject} from '../../common/json.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {splitWords} from '../../input/shell-quoting.js';
import {type KnownFailure, programProvider, type ProgramTunnelOptions, type TunnelProgram} from './program-tunnel.js';
import {directProvider, publicBase, type TunnelProvider} from './tunnel.js';

const TUNNEL_FORMS = 'none, cloudflared, ngrok, command:program and arguments';

export interface TunnelOptions extends ProgramTunnelOptions {
  /** `--public-url`: the tunnel's URL, if the tunnel does not report it. */
  readonly publicUrl?: string;
}

export function readTunnel(text: string, {host, readyTimeout, ...flags}: TunnelOptions): InvalidInput | TunnelProvider {
  const publicUrl = flags.publicUrl === undefined ? undefined : publicBase(flags.publicUrl);
  if (flags.publicUrl !== undefined && publicUrl === undefined)
    return new InvalidInput('--public-url is not a valid address.', {
      why: 'It must start with https:// or http://, and have no user, query or fragment.',
      hint: 'For example: --public-url https://hooks.example.com',
    });
  const form = text.trim();
  const command = /^command:(.*)$/s.exec(form)?.[1];
  const providerOf = (program: InvalidInput | TunnelProgram): InvalidInput | TunnelProvider =>
    program instanceof InvalidInput ? program : programProvider(program, {host, readyTimeout});

  if (command !== undefined) return providerOf(commandTunnel(command, publicUrl));
  if (form === 'none') return directProvider(publicUrl);
  if (form === 'ngrok') return providerOf(ngrokTunnel(publicUrl));
  if (form === 'cloudflared') {
    if (publicUrl === undefined) return providerOf(CLOUDFLARED);
    return new InvalidInput('a cloudflared quick tunnel picks its own URL, so --public-url cannot be used with it.', {
      hint: `To use your own tunnel: --tunnel 'command:cloudflared tunnel run my-tunnel' --public-url ${publicUrl}`,
    });
  }
  return new InvalidInput(`--tunnel ${JSON.stringify(text)} is not one of: ${TUNNEL_FORMS}.`, {
    hint: 'For example: --tunnel cloudflared',
  });
}

/** Excludes Cloudflare's API host, which the output may also contain. */
const CLOUDFLARED_URL = /https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com\b/;

/** A quick tunnel, which needs no account and has a new host name at every start. */
const CLOUDFLARED: TunnelProgram = {
  program: 'cloudflared',
  installHint:
    'Get it from github.com/cloudflare/cloudflared/releases ("brew install cloudflared", "winget install Cloudflare.cloudflared"), or use another --tunnel.',
  failures: [
    {
      pattern: /429 Too Many Requests|status_code="?429/,
      code: 'tunnel_rate_limited',
      message: 'Cloudflare refused another quick tunnel for now.',
      why: 'It limits how many quick tunnels you can open.',
      hint: 'Wait a few minutes, or use another --tunnel.',
    },
  ],
  // Ignores the user's configuration, whose rules would answer 404 for a quick tunnel's host name.
  args: (localPort) => ['tunnel', '--config', devNull, '--url', `http://127.0.0.1:${localPort}`, '--no-autoupdate'],
  createReader: () => {
    let url: string | undefined;
    let registered = false;
    return (line = '') => {
      url ??= CLOUDFLARED_URL.exec(line)?.[0];
      // cloudflared prints the URL before the tunnel works.
      registered ||= line.includes('Registered tunnel connection');
      return registered ? url : undefined;
    };
  },
};

/** Parses a line of ngrok's JSON log. Returns undefined for any other line. */
function readNgrok(line: string): Readonly<Record<'err' | 'msg' | 'url', unknown>> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return isJsonObject(value) ? (value as ReturnType<typeof readNgrok>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error in a log line, if any; other output unchanged. */
function ngrokErrorText(line: string): string | undefined {
  const entry = readNgrok(line);
  if (!entry) return line;
  return typeof entry.err === 'string' && !/^<?nil>?$/.test(entry.err) ? entry.err.replaceAll(/\s+/g, ' ') : undefined;
}

const NGROK_FAILURES: readonly KnownFailure[] = [
  {
    pattern: /ERR_NGROK_105\b/,
    code: 'tunnel_denied',
    message: 'ngrok refused your authtoken.',
    why: 'ngrok reported ERR_NGROK_105.',
    hint: 'Set the right authtoken: ngrok config add-authtoken <token>',
    retryable: false,
  },
  {
    pattern: /ERR_NGROK_108\b/,
    code: 'tunnel_limit',
    message: 'your ngrok account does not allow another session.',
    why: 'ngrok reported ERR_NGROK_108.',
    // Retryable: ngrok may still count the session of a lost connection for a while.
    hint: 'Stop the other ngrok, or use another --tunnel.',
  },
  {
    pattern: /ERR_NGROK_4018\b/,
    code: 'tunnel_denied',
    message: 'ngrok has no authtoken.',
    why: 'ngrok reported ERR_NGROK_4018.',
    hint: 'Set the authtoken of your account: ngrok config add-authtoken <token>',
    retryable: false,
  },
];

/** @param publicUrl a URL reserved in the user's account; by default ngrok chooses the URL */
const ngrokTunnel = (publicUrl: string | undefined): TunnelProgram => ({
  program: 'ngrok',
  installHint:
    'Get it from ngrok.com/download, then set your authtoken: ngrok config add-authtoken <token>. Or use another --tunnel.',
  errorTextOf: ngrokErrorText,
  failures: NGROK_FAILURES,
  args: (localPort) => [
    // With only a port, ngrok connects to "localhost", which may be ::1, where nothing listens.
    ...['http', `127.0.0.1:${localPort}`, '--log', 'stdout', '--log-format', 'json'],
    ...(publicUrl === undefined ? [] : [`--url=${publicUrl}`]),
  ],
  createReader:
    () =>
    (line = '') => {
      const {msg, url} = readNgrok(line) ?? {};
      return msg === 'started tunnel' && typeof url === 'string' ? publicBase(url) : undefined;
    },
});

/** The tunnel counts as ready once the program has started. @param command `{port}` stands for the local port */
function commandTunnel(command: string, publicUrl: string | undefined): InvalidInput | TunnelProgram {
  const words = splitWords(command);
  if (words instanceof InvalidInput) return words;
  const [program, ...args] = words;
  if (!program)
    return new InvalidInput('--tunnel command: needs a program.', {
      hint: `For example: --tunnel 'command:mytunnel http {port}'`,
    });
  if (publicUrl === undefined)
    return new InvalidInput('--tunnel command: needs --public-url.', {
      hint: 'Add the public URL of the tunnel: --public-url https://…',
    });
  return {
    program,
    installHint: 'It is the first word of --tunnel command:…. Check the spelling.',
    args: (localPort) => args.map((word) => word.replaceAll('{port}', String(localPort))),
    createReader: () => () => publicUrl,
  };
}
