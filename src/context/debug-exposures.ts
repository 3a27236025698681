// Finds settings of Node that would expose a key by logging requests or skipping the check of certificates.

import type {Environment} from '../common/environment.js';
import {refusedError} from '../common/errors.js';
import type {OutputStreams} from '../output/streams.js';

const NOISY_MODULES = ['undici', 'fetch', 'http', 'http2', 'https', 'net', 'tls', 'stream', 'websocket'];

const LOGGING_OPTIONS = /(?:^|\s)(--tls-keylog|--trace-tls)(?=[=\s]|$)/g;

/** Node also accepts quotes, and underscores in place of hyphens. */
const plainOptions = (options: string): string => options.replace(/["\\]/g, '').replaceAll('_', '-');

export interface NodeSettings {
  readonly env: Environment;
  /** Options that precede the program: `node --tls-keylog=keys bin/run.js`. */
  readonly execArgv: readonly string[];
}

/** The settings that would expose requests, as a user types them: `NODE_DEBUG=http`. */
export function debugExposures({env: environment, execArgv}: NodeSettings): string[] {
  const named = (environment.NODE_DEBUG ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => NOISY_MODULES.some((part) => matches(name, part)));
  const optionsIn = (text: string) => [...plainOptions(text).matchAll(LOGGING_OPTIONS)].map(([, option]) => option!);
  return [
    ...(named.length > 0 ? [`NODE_DEBUG=${named.join(',')}`] : []),
    ...new Set(optionsIn(environment.NODE_OPTIONS ?? '').map((option) => `NODE_OPTIONS=${option}`)),
    ...new Set(execArgv.flatMap(optionsIn).map((option) => `node ${option}`)),
    ...(environment.SSLKEYLOGFILE ? ['SSLKEYLOGFILE'] : []),
  ];
}

/** True if the name matches the module. As in Node, `*` in the name matches any text. */
const matches = (name: string, part: string): boolean =>
  name !== '' &&
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`).test(part);

/** Throws before a live key is used with such settings, and warns before a test key is used. */
export function checkDebugExposures(node: NodeSettings, io: OutputStreams, mode: 'live' | 'test'): void {
  if (mode === 'live' && node.env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    throw refusedError('unsafe_tls', 'a live key is not sent while certificate checks are off.', {
      why: 'NODE_TLS_REJECT_UNAUTHORIZED is 0, so others on the network could read the key.',
      hint: 'Unset it. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.',
    });
  const found = debugExposures(node);
  if (found.length === 0) return;
  const settings = found.join(' and ');
  if (mode === 'live')
    throw refusedError('exposed', `${settings} would show requests sent with a live key.`, {
      why: 'Node itself prints or writes them, and centavo cannot remove secrets there.',
      hint: 'Turn it off, or use a test key.',
    });
  io.note(`Warning: ${settings} shows requests, and may show secrets.`, {style: 'yellow'});
}
