// A quick tunnel of Cloudflare, by the user's own cloudflared: no account, and a new name at every start.

import {devNull} from 'node:os';
import {programProvider, type ProgramTunnelOptions, type TunnelProgram} from './program-tunnel.js';
import {tunnelError, type TunnelProvider} from './tunnel.js';

const WHERE =
  'Get it from github.com/cloudflare/cloudflared/releases ("brew install cloudflared", "winget install Cloudflare.cloudflared"), or choose another --tunnel.';

/** The names of the service itself stand in its messages too. */
const URL_LINE = /https:\/\/(?!api\.)[a-z0-9-]+\.trycloudflare\.com\b/;

const explain = (lines: readonly string[]) =>
  lines.some((line) => /429 Too Many Requests|status_code="?429/.test(line))
    ? tunnelError('tunnel_rate_limited', 'Cloudflare gives no more quick tunnels for now.', {
        why: 'It limits how many an address may open.',
        hint: 'Wait some minutes, or choose another --tunnel.',
      })
    : undefined;

const QUICK_TUNNEL: TunnelProgram = {
  name: 'cloudflared',
  program: 'cloudflared',
  where: WHERE,
  explain,
  // Without a configuration of its own it would obey the user's, whose rules answer 404 for a quick tunnel's name.
  args: (localPort) => ['tunnel', '--config', devNull, '--url', `http://127.0.0.1:${localPort}`, '--no-autoupdate'],
  reader: () => {
    let url: string | undefined;
    let registered = false;
    return (line = '') => {
      url ??= URL_LINE.exec(line)?.[0];
      // The URL is printed before anything leads from it to here.
      registered ||= line.includes('Registered tunnel connection');
      return registered ? url : undefined;
    };
  },
};

export const cloudflaredProvider = (options: ProgramTunnelOptions): TunnelProvider =>
  programProvider(QUICK_TUNNEL, options);
