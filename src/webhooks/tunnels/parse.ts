// Parses `--tunnel`, and the two flags that go with it.

import {usageError} from '../../ground/errors.js';
import type {ProgramHost} from '../../programs/program.js';
import {cloudflaredProvider, commandProvider, ngrokProvider} from './providers.js';
import {parseSshAddress, sshProvider} from './ssh.js';
import {directProvider, publicBase, type TunnelProvider} from './tunnel.js';

const FORMS = 'none, cloudflared, ngrok, ssh:user@host[:port], command:program and arguments';

export interface ParseTunnelOptions {
  readonly host: ProgramHost;
  /** `--public-url`: the tunnel's URL, when the tunnel does not report it. */
  readonly publicUrl?: string;
  /** `--tunnel-url-pattern`: a regular expression that finds the URL in a line of output. */
  readonly urlPattern?: string;
  /** Milliseconds until a tunnel must be ready; 30 000 when not given. */
  readonly readyWithin?: number;
}

export function parseTunnel(text: string, {host, readyWithin, ...flags}: ParseTunnelOptions): TunnelProvider {
  const options = {host, readyWithin};
  const publicUrl = flags.publicUrl === undefined ? undefined : publicBase(flags.publicUrl);
  if (flags.publicUrl !== undefined && publicUrl === undefined) {
    throw usageError('--public-url is not a valid address.', {
      why: 'It must start with https:// or http://, and have no user, query or fragment.',
      hint: 'For example: --public-url https://hooks.example.com',
    });
  }
  const [, kind = '', rest] = /^([^:]*)(?::(.*))?$/s.exec(text.trim())!;
  if (flags.urlPattern !== undefined && kind !== 'command' && kind !== 'ssh')
    throw usageError(
      `--tunnel-url-pattern works only with --tunnel command:… and ssh:…, not with ${JSON.stringify(text)}.`,
    );
  const pattern = flags.urlPattern === undefined ? undefined : urlPattern(flags.urlPattern);

  if (kind === 'ssh' && rest) return sshProvider({...options, address: parseSshAddress(rest), publicUrl, pattern});
  if (kind === 'command' && rest !== undefined) return commandProvider({...options, command: rest, publicUrl, pattern});
  if (rest === undefined && kind === 'none') return directProvider(publicUrl);
  if (rest === undefined && kind === 'ngrok') return ngrokProvider({...options, publicUrl});
  if (rest === undefined && kind === 'cloudflared') {
    if (publicUrl === undefined) return cloudflaredProvider(options);
    throw usageError('a cloudflared quick tunnel picks its own URL, so --public-url cannot be used with it.', {
      hint: `To use your own tunnel: --tunnel 'command:cloudflared tunnel run my-tunnel' --public-url ${publicUrl}`,
    });
  }
  throw usageError(`--tunnel ${JSON.stringify(text)} is not one of: ${FORMS}.`, {
    hint: 'For example: --tunnel cloudflared',
  });
}

function urlPattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw usageError(`--tunnel-url-pattern ${JSON.stringify(text)} is not a valid regular expression.`, {
      hint: String.raw`For example: --tunnel-url-pattern 'https://\S+\.example\.com'`,
      cause,
    });
  }
}
