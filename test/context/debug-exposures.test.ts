// Settings of Node that would expose requests, and the settings that stop a key.

import {expect, test} from 'vitest';
import {debugExposures, checkDebugExposures} from '../../src/context/debug-exposures.js';
import {createStreams} from '../../src/output/streams.js';

test.each([
  [{}, []],
  [{NODE_DEBUG: ''}, []],
  [{NODE_DEBUG: 'fs,module,timer'}, []],
  [{NODE_DEBUG: 'undici'}, ['NODE_DEBUG=undici']],
  [{NODE_DEBUG: 'fs, HTTP ,tls'}, ['NODE_DEBUG=http,tls']],
  [{NODE_DEBUG: '*'}, ['NODE_DEBUG=*']],
  [{NODE_DEBUG: 'h*2'}, ['NODE_DEBUG=h*2']],
  [{NODE_DEBUG: 'htt'}, []],
  [{NODE_DEBUG: '(['}, []],
  [{NODE_OPTIONS: '--tls-keylog=/tmp/k --no-warnings'}, ['NODE_OPTIONS=--tls-keylog']],
  [{NODE_OPTIONS: '--no-warnings --trace-tls'}, ['NODE_OPTIONS=--trace-tls']],
  [{NODE_OPTIONS: '--tls-keylog a --tls-keylog b'}, ['NODE_OPTIONS=--tls-keylog']],
  // Node takes underscores for hyphens, and quotes anywhere.
  [{NODE_OPTIONS: '--trace_tls'}, ['NODE_OPTIONS=--trace-tls']],
  [{NODE_OPTIONS: '--no-warnings "--tls_keylog=/tmp/a k"'}, ['NODE_OPTIONS=--tls-keylog']],
  [{NODE_OPTIONS: '--tr"ace-t"ls'}, ['NODE_OPTIONS=--trace-tls']],
  [{NODE_OPTIONS: '--tls-keylogs --max-old-space-size=512'}, []],
  [{SSLKEYLOGFILE: '/tmp/k', NODE_DEBUG: 'net'}, ['NODE_DEBUG=net', 'SSLKEYLOGFILE']],
])('%j: %j', (environment, found) => {
  expect(debugExposures({env: environment, execArgv: []})).toEqual(found);
});

test('options before the program count like options in the environment', () => {
  const execArgv = ['--no-warnings', '--tls-keylog=/tmp/k', '--trace_tls'];
  expect(debugExposures({env: {}, execArgv})).toEqual(['node --tls-keylog', 'node --trace-tls']);
});

function guarded(env: Readonly<Record<string, string>>, mode: 'live' | 'test') {
  let told = '';
  const stream = (add: (text: string) => void) => ({write: (text: string) => (add(text), true), on: () => {}});
  const io = createStreams({stdout: stream(() => {}), stderr: stream((text) => (told += text)), stdin: {}, env: {}});
  try {
    checkDebugExposures({env, execArgv: []}, io, mode);
  } catch (error) {
    return {error, told};
  }
  return {told};
}

test.each(['0', '1', ''])(
  'with NODE_TLS_REJECT_UNAUTHORIZED=%j, a live key is refused if it is 0, a test key never',
  (value) => {
    const env = {NODE_TLS_REJECT_UNAUTHORIZED: value};
    expect(guarded(env, 'test')).toEqual({told: ''});
    if (value === '0') expect(guarded(env, 'live').error).toMatchObject({exitCode: 12, code: 'unsafe_tls'});
    else expect(guarded(env, 'live')).toEqual({told: ''});
  },
);

test('refuses exposure of a live key, and warns with a test key', () => {
  expect(guarded({NODE_DEBUG: 'undici'}, 'live').error).toMatchObject({exitCode: 12, code: 'exposed'});
  expect(guarded({NODE_DEBUG: 'undici'}, 'test').told).toMatch(/^Warning: NODE_DEBUG=undici/);
});
