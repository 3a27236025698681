// Ids and base URLs: no id can reach another path, and no key can be sent to an unsafe place.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {operations} from '../../src/api/registry.js';
import {buildPath, createClient} from '../../src/client/client.js';
import {checkedBaseUrl} from '../../src/client/endpoints.js';
import {CentavoError} from '../../src/common/errors.js';
import {KEY} from '../support/client/calls.js';
import {runs} from '../support/test-size.js';

const SEED = 20261216;
const withIds = operations.filter(({operation}) => operation.path.includes(':'));
const GET_CUSTOMER = withIds.find(({id}) => id === 'customers:get');

const refused = (ids: unknown[], of = GET_CUSTOMER!): CentavoError => {
  try {
    buildPath(of.resource, of.operation, ids as string[]);
  } catch (error) {
    return error as CentavoError;
  }
  throw new Error(`${JSON.stringify(ids)} was accepted`);
};

const BAD_IDS = [
  [''],
  ['..'],
  ['.'],
  ['../webhooks'],
  ['%2e%2e'],
  ['cus_1/..'],
  ['cus_1?x=1'],
  ['cus_1#x'],
  ['cus_1%00'],
  ['cus_'],
  ['CUS_abc'],
  ['bstm_7Hq2'],
  ['cus_😀'],
  ['cus_\ud800'],
  ['cus_1\n'],
  ['cus_\u001b[2J'],
  ['https://dashboard.example/cus_abc'],
  [undefined],
  [null],
  [7],
  [{toString: () => 'cus_1'}],
] as const;

test.each(BAD_IDS)('refuses %j as a customer id, and sends nothing', (id) => {
  expect(refused([id])).toMatchObject({kind: 'usage', code: 'invalid_id', details: {applied: 'no'}});
});

test('distinguishes ids of statements and of line items', () => {
  const statement = withIds.find(({id}) => id === 'billing-statements:get')!;
  const item = withIds.find(({id}) => id === 'billing-statement-line-items:delete')!;
  expect(refused(['bstm_li_4Rt8'], statement).kind).toBe('usage');
  expect(refused(['bstm_7Hq2'], item).kind).toBe('usage');
});

test('does not repeat a secret or a very long text given as an id', () => {
  for (const secret of [KEY, 'pi_3Fa9_secret_9xKk2LmNp', 'whsk_1234567890'])
    expect(refused([secret]).message).not.toContain(secret.slice(-8));
  expect(refused(['x'.repeat(300)]).message.length).toBeLessThan(150);
});

test(`any id is refused, or is the one segment where it belongs (seed ${SEED})`, () => {
  const ids = fc.oneof(
    fc.string({unit: 'binary', maxLength: 20}),
    fc.stringMatching(/^(cus|bstm|bstm_li|pi|wh|pm)_[A-Za-z0-9./%_-]{0,8}$/),
    fc.constantFrom(...BAD_IDS.map(([id]) => id).filter((id) => typeof id === 'string')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...withIds), ids, ids, ({resource, operation}, first, second) => {
      let path: string;
      try {
        path = buildPath(resource, operation, [first, second]);
      } catch (error) {
        expect((error as CentavoError).kind).toBe('usage');
        return;
      }
      const url = new URL(path, 'https://api.example');
      expect(url.pathname).toBe(path);
      expect(url.search + url.hash).toBe('');
      const segments = path.split('/');
      const template = operation.path.split('/');
      expect(segments).toHaveLength(template.length);
      const given = [first, second];
      template.forEach((part, index) =>
        expect(decodeURIComponent(segments[index]!)).toBe(part.startsWith(':') ? given.shift() : part),
      );
    }),
    {seed: SEED, numRuns: runs(1500)},
  );
});

describe('a base URL', () => {
  test.each([
    'https://api.payrexhq.com',
    'https://x.example:8443/',
    'http://127.0.0.1:4010',
    'http://localhost:1',
    'http://[::1]:4010',
  ])('%s is safe', (url) => {
    expect(checkedBaseUrl(url).origin).toBe(new URL(url).origin);
  });

  test.each([
    'http://api.payrexhq.com',
    'http://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
    'http://localhost.evil.test',
    'http://127.0.0.1@evil.example',
    'https://user:pass@api.example',
    'http://127.0.0.1.evil.example',
    'http://0.0.0.0:4010',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('%s is refused, since a key would not be safe there', (url) => {
    expect(() => checkedBaseUrl(url)).toThrow(CentavoError);
    expect(() => createClient({key: KEY, baseUrl: url})).toThrow(expect.objectContaining({kind: 'refused'}));
  });

  test.each([
    '',
    'api.example',
    '//api.example',
    'https://api.example/v1',
    'https://api.example/?a=b',
    'http://127.0.0.1:4010/#x',
    'https://x:99999',
  ])('%j is no base URL', (url) => {
    expect(() => checkedBaseUrl(url)).toThrow(expect.objectContaining({kind: 'config'}));
  });

  test.each(['http://0x7f.1/', 'http://2130706433/', 'http://127.1'])(
    '%s is loopback, however it is written',
    (url) => {
      expect(checkedBaseUrl(url).hostname).toBe('127.0.0.1');
    },
  );
});
