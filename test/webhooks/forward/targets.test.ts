// Forwarding targets and routes, as people type them.

import {describe, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {everyEvent, readEventFilter} from '../../../src/input/event-filter.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {isForbiddenHost, isLoopbackAddress, isThisMachine} from '../../../src/http/addresses.js';
import {firstMatchWins, readRoute, readTarget, type TargetOptions} from '../../../src/webhooks/forward/targets.js';

const thrownBy = (work: () => unknown): CentavoError => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(CentavoError);
    return error as CentavoError;
  }
  throw new Error('nothing was thrown');
};

describe('a target', () => {
  test.each([
    ['3000', 'http://localhost:3000/'],
    ['65535', 'http://localhost:65535/'],
    ['3000/hook', 'http://localhost:3000/hook'],
    ['3000?a=1', 'http://localhost:3000/?a=1'],
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['localhost', 'http://localhost/'],
    ['LOCALHOST:3000', 'http://localhost:3000/'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['127.1.2.3:3000', 'http://127.1.2.3:3000/'],
    ['[::1]:3000/a', 'http://[::1]:3000/a'],
    ['http://localhost:3000/a?b=1&c=2', 'http://localhost:3000/a?b=1&c=2'],
    ['https://localhost:3443', 'https://localhost:3443/'],
    ['HTTPS://localhost', 'https://localhost/'],
    ['localhost:3000/a?u=http://x/', 'http://localhost:3000/a?u=http://x/'],
    ['localhost:3000/a#b', 'http://localhost:3000/a'],
    ['localhost:3000/ñ', 'http://localhost:3000/%C3%B1'],
  ])('%j is %s', (text, url) => {
    expect(valueOrThrow(readTarget(text)).href).toBe(url);
  });

  test('that is a path is relative to the base', () => {
    const base = new URL('http://localhost:3000/hook?x=1');
    expect(valueOrThrow(readTarget('/pay?y=2', {base})).href).toBe('http://localhost:3000/pay?y=2');
    expect(valueOrThrow(readTarget('/../..//evil.test', {base})).host).toBe('localhost:3000');
  });

  test.each([
    '',
    ' ',
    '0',
    '65536',
    '2130706433',
    '/hook',
    '//evil.test',
    'localhost:0',
    'localhost:99999',
    'localhost:3000 /x',
    'localhost:3000\\x',
    'local\thost:3000',
    'local\u00ADhost:3000',
    'local\u200Bhost:3000',
    'ftp://localhost',
    'file:///etc/passwd',
    'ws://localhost:3000',
    'javascript:alert(1)',
    'http://',
    '[::1',
  ])('%j cannot be read', (text) => {
    const error = thrownBy(() => valueOrThrow(readTarget(text)));
    expect([error.kind, error.code]).toEqual(['usage', 'invalid_target']);
    expect(error.message).toContain(JSON.stringify(text));
    expect(error.details.hint).toContain('3000');
  });

  const ALWAYS_UNSAFE = [
    'http://169.254.169.254/latest/meta-data',
    '169.254.1.1',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:127.0.0.1]:3000/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::]:3000/',
    'http://0.0.0.0:3000/',
    'http://2130706433/',
    'http://0x7f000001:3000/',
    'http://017700000001/',
    'http://127.1:3000/',
    'http://0177.0.0.1/',
    'http://127.0.0.1.:3000/',
    'http://localhost.:3000/',
    'http://2852039166/',
    'http://0xA9FEA9FE/',
    'http://metadata.google.internal/',
    'http://METADATA/',
    'http://100.100.100.200/',
    'http://224.0.0.1/',
    'http://user:pass@localhost:3000/',
    'http://127.0.0.1@evil.test/',
    'http://localhost%00.evil.test@localhost/',
    'http://１２７.０.０.１:3000/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:3000/',
  ];
  test.each(ALWAYS_UNSAFE)('%s is never sent to', (text) => {
    for (const options of [{}, {allowRemote: true}] as TargetOptions[]) {
      const error = thrownBy(() => valueOrThrow(readTarget(text, options)));
      expect([error.kind, error.code]).toEqual(['refused', 'unsafe_url']);
    }
  });

  test.each([
    'http://localhost.evil.test/',
    'http://127.0.0.1.evil.test/',
    'evil.test:3000',
    '192.168.1.5:3000',
    '10.0.0.1',
    'http://[2001:db8::1]:3000/',
    'https://app.example/hook',
    'localhost2:3000',
  ])('%s is another machine: only when that is allowed', (text) => {
    const error = thrownBy(() => valueOrThrow(readTarget(text)));
    expect([error.kind, error.code]).toEqual(['refused', 'unsafe_url']);
    expect(error.details.override).toBe('--forward-remote');
    expect(valueOrThrow(readTarget(text, {allowRemote: true}))).toBeInstanceOf(URL);
  });
});

test('classifies resolved addresses', () => {
  expect(['127.0.0.1', '127.255.0.1', '::1'].map(isLoopbackAddress)).toEqual([true, true, true]);
  expect(['10.0.0.1', '::ffff:127.0.0.1', 'localhost', '::2'].map(isLoopbackAddress)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  const near = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', undefined].map(
    isThisMachine,
  );
  expect(near).toEqual([true, true, true, false, false, false]);
  expect(['169.254.169.254', 'fe80::1', '::', '::ffff:10.0.0.1'].map(isForbiddenHost)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['10.0.0.1', '2001:db8::1', '::1', '127.0.0.1', 'app.example'].map(isForbiddenHost)).not.toContain(true);
});

describe('a route', () => {
  test('has a filter and a target', () => {
    const {accepts, url} = valueOrThrow(readRoute('payment.*=3001/pay?a=b'));
    expect(url.href).toBe('http://localhost:3001/pay?a=b');
    expect([accepts('payment.failed'), accepts('refund.created')]).toEqual([true, false]);
    expect(valueOrThrow(readRoute('*=/x', {base: url})).url.href).toBe('http://localhost:3001/x');
  });

  test.each([
    ['3000', 'invalid_route'],
    ['=3000', 'invalid_route'],
    ['a b=3000', 'invalid_event_pattern'],
    ['a=', 'invalid_target'],
    ['a=evil.test', 'unsafe_url'],
  ])('%j is invalid', (text, code) => {
    expect(thrownBy(() => valueOrThrow(readRoute(text))).code).toBe(code);
  });

  test('among several, the first match wins', () => {
    const url = new URL('http://localhost:3000/');
    const targets = firstMatchWins([
      {url, accepts: valueOrThrow(readEventFilter('payment.*'))},
      {url, accepts: valueOrThrow(readEventFilter('*.failed'))},
      {url, accepts: everyEvent},
    ]);
    const takers = (type?: string) => targets.flatMap(({accepts}, index) => (accepts(type) ? [index] : []));
    expect(['payment.failed', 'refund.failed', 'x.y', undefined].map(takers)).toEqual([[0], [1], [2], [2]]);
  });
});
