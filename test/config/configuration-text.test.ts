// The text of the configuration file: valid values, errors by field, and kept fields of later versions.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parseConfiguration, writeConfiguration} from '../../src/config/configuration-file.js';
import {withProfile, type Configuration} from '../../src/config/profiles.js';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {held} from '../support/config/profiles.js';
import {runs} from '../support/test-size.js';

const SEED = 20261221;

const FILE = '/home/juan/.config/centavo/config.json';
const parse = (text: string): Configuration => parseConfiguration(text, FILE);

const errorOf = (text: string): CentavoError => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  throw new Error(`It was taken: ${text}`);
};

const document = (profiles: unknown, more: object = {}): string => JSON.stringify({version: 1, profiles, ...more});
const ofShop = (shop: unknown): string => document({shop});
const KEY = held();

test('does not suggest fixing a file of a later version', () => {
  expect(errorOf('{"version": 2}').details.hint).toContain('newer version of centavo');
  expect(errorOf('{"version": 0}').details.hint).toContain('Fix that line');
});

test('finds the line in a long file quickly', () => {
  const lines = Array.from({length: 20_000}, (_, index) => `"a${index}": 1,`);
  expect(errorOf(['{', ...lines, 'x}'].join('\n')).details.why).toContain('(line 20002');
});

describe('errors name the problem and the file', () => {
  test.for([
    ['nothing', '', 'It is not JSON (line 1'],
    ['a comma too many', '{\n  "version": 1,\n  "profiles": {},\n}', 'line 4'],
    ['half of it', '{\n"version": 1,\n"profiles": {"shop"', 'It is not JSON (line 3'],
    ['half of a text', '{\n"version": 1,\n"pro', '(line 3'],
    ['a bracket of another kind', '{"version": 1,\n\n"profiles": ]\n}\n', 'It is not JSON (line 3'],
    ['a key, unquoted, of which nothing is shown', '{\n"key": sk_live_MadeUp\n}', 'It is not JSON (line 2'],
    ['something behind it', '{"version": 1}\n\n}', '(line 3'],
    ['a comment', '{\n  // mine\n  "version": 1}', 'line 2'],
    ['a page', '<!doctype html>', 'It is not JSON (line 1'],
    ['NUL bytes, as after a power cut', '\0'.repeat(40), 'It is not JSON (line 1'],
    ['nested deeper than any stack', '['.repeat(100_000) + ']'.repeat(100_000), 'more than 200 levels deep.'],
    ['a list', '[]', 'It is not an object.'],
    ['null', 'null', 'It is not an object.'],
    ['a text', '"version"', 'It is not an object.'],
    ['no version', '{}', 'Its version is undefined; this version of centavo reads version 1.'],
    ['a later version', '{"version": 2}', 'Its version is 2; this version of centavo reads version 1.'],
    ['a version as text', '{"version": "1"}', 'Its version is "1"; this version of centavo reads version 1.'],
    ['a profile that is a number', document({}, {profile: 7}), '"profile" is not a name.'],
    ['a profile that is null', document({}, {profile: null}), '"profile" is not a name.'],
    ['profiles as a list', document([]), '"profiles" is not an object.'],
    ['profiles that are null', document(null), '"profiles" is not an object.'],
    ['a name with a space', document({'my shop': {}}), '"my shop" is not a valid profile name.'],
    ['a name that leads elsewhere', document({'../x': {}}), '"../x" is not a valid profile name.'],
    [
      'the name of what objects are made of',
      '{"version":1,"profiles":{"__proto__":{"a":1}}}',
      '"__proto__" is not a valid',
    ],
    ['an empty name', document({'': {}}), '"" is not a valid profile name.'],
    ['a profile that is a list', ofShop([]), 'profiles.shop is not an object.'],
    ['a profile that is null', ofShop(null), 'profiles.shop is not an object.'],
    ['an id that is a path', ofShop({id: '../../etc'}), 'profiles.shop.id is not an id.'],
    ['an id that is a number', ofShop({id: 3}), 'profiles.shop.id is not an id.'],
    ['a merchant without an id', ofShop({merchant: {name: 'Shop'}}), 'profiles.shop.merchant has no id.'],
    ['a merchant as text', ofShop({merchant: 'merc_1'}), 'profiles.shop.merchant has no id.'],
    ['keys as a list', ofShop({keys: []}), 'profiles.shop.keys is not an object.'],
    [
      'a fifth kind of key',
      ofShop({keys: {secret: KEY}}),
      'profiles.shop.keys.secret is not one of test_secret, live_',
    ],
    ['no list of known keys', ofShop({known_keys: 'live_secret'}), 'profiles.shop.known_keys is not a list.'],
    ['a key itself', ofShop({keys: {test_secret: 'sk_test_…'}}), 'profiles.shop.keys.test_secret is not a stored key.'],
    ['a read_only of text', ofShop({read_only: 'true'}), '.read_only is "true"; it must be true or false.'],
    ['a max_amount in pesos', ofShop({max_amount: 12.5}), '.max_amount is 12.5; it must be a whole number of centavos'],
    ['a max_amount below nothing', ofShop({max_amount: -1}), 'profiles.shop.max_amount is -1; '],
    ['a timeout of text', ofShop({timeout: '30s'}), '.timeout is "30s"; it must be a time such as'],
    ['an encoding that is none', ofShop({encoding: 'xml'}), '.encoding is "xml"; it must be json or form.'],
    ['a base_url that is none', ofShop({base_url: ''}), '.base_url is ""; it must be payrex, sandbox, or a URL'],
    ['a count of half', ofShop({max_statements_per_run: 0.5}), '.max_statements_per_run is 0.5; '],
  ] as const)('%s', ([, text, why]) => {
    const error = errorOf(text);
    expect(error).toMatchObject({kind: 'config', code: 'invalid_config', exitCode: 14});
    expect(error.message).toBe(`the configuration in ${FILE} cannot be used.`);
    expect(error.details.why).toContain(why);
    expect(errorLines(error)).toHaveLength(3);
  });

  test.for([
    ['no store', {store: undefined}],
    ['a store that nobody knows', {store: 'cloud'}],
    ['no last four', {last4: undefined}],
    ['the whole of a key for its last four', {last4: 'sk_live_MadeUp12'}],
    ['what clears the screen for its last four', {last4: '\u001b[2J'}],
    ['no origin', {origin: undefined}],
    ['an empty origin', {origin: ''}],
    ['more than an origin', {origin: 'https://api.example/v1'}],
    ['an origin with a password', {origin: 'https://a:b@api.example'}],
    ['an origin that is none of text', {origin: 7}],
    ['no fingerprint', {fingerprint: undefined}],
    ['a fingerprint that leads elsewhere', {fingerprint: '../../x1'}],
    ['a fingerprint that is too long', {fingerprint: '0123456789'}],
    ['a program without a program', {store: 'command', fingerprint: undefined, command: []}],
    ['a program that is one text', {store: 'command', fingerprint: undefined, command: 'pass show x'}],
    ['a program with a number', {store: 'command', fingerprint: undefined, command: ['pass', 7]}],
    ['a program with a fingerprint', {store: 'command', command: ['pass']}],
  ] as const)('a key with %s', ([, change]) => {
    expect(errorOf(ofShop({keys: {live_secret: {...KEY, ...change}}})).details.why).toBe(
      'profiles.shop.keys.live_secret is not a stored key.',
    );
  });

  test('shortens a long value', () => {
    expect(errorOf(ofShop({encoding: 'x'.repeat(5000)})).details.why!.length).toBeLessThan(200);
  });
});

describe('kept fields', () => {
  const later = {
    version: 1,
    profile: 'shop',
    profiles: {
      shop: {
        id: 'shop-1',
        merchant: {id: 'merc_1', name: 'Shop', country: 'PH'},
        keys: {test_secret: {...KEY, rotated_at: 5}, live_secret: {...KEY, origin: 'https://other.example'}},
        base_url: 'payrex',
        read_only: true,
        theme: {dark: true},
        constructor: 1,
        toString: 'x',
      },
      constructor: {keys: {}, max_amount: 5},
      sandbox: {keys: {}, max_statements_per_run: 3},
    },
    telemetry: false,
    later: [1, {two: null}],
  };

  test('are all, when the file is read and written', () => {
    expect(JSON.parse(writeConfiguration(parse(JSON.stringify(later))))).toEqual(later);
  });

  test('are all others, when one is changed', () => {
    const changed = withProfile(parse(JSON.stringify(later)), 'shop', (own) => ({
      ...own,
      settings: {...own.settings, read_only: false},
    }));
    const {shop, ...others} = later.profiles;
    expect(JSON.parse(writeConfiguration(changed))).toEqual({
      ...later,
      profiles: {shop: {...shop, read_only: false}, ...others},
    });
  });

  test('are written with indentation and a final line feed', () => {
    expect(writeConfiguration({profiles: {}})).toBe('{\n  "version": 1,\n  "profiles": {}\n}\n');
  });
});

test('a profile can be named constructor, and does not exist before it is created', () => {
  const none = parse('{"version":1}');
  expect(none.profiles.constructor).toBeUndefined();
  expect(none.profiles.toString).toBeUndefined();
  const made = withProfile(none, 'constructor', (own) => ({...own, settings: {read_only: true}}));
  expect(parse(writeConfiguration(made)).profiles.constructor).toEqual({keys: {}, settings: {read_only: true}});
});

test(`any JSON is used or refused, and never an internal error (seed ${SEED})`, () => {
  const names = fc.constantFrom('shop', 'constructor', 'sandbox', '__proto__', 'A', '');
  const odd = fc.jsonValue({maxDepth: 2});
  const key = fc.record(
    {
      store: fc.oneof(fc.constantFrom('file', 'keychain', 'command'), odd),
      last4: fc.oneof(fc.string(), odd),
      fingerprint: fc.oneof(fc.constant('0123abcd'), odd),
      origin: fc.oneof(fc.constant('https://api.example'), odd),
      command: fc.oneof(fc.array(fc.string()), odd),
    },
    {requiredKeys: []},
  );
  const profile = fc.record(
    {
      id: fc.oneof(fc.constant('shop-1'), odd),
      merchant: fc.oneof(fc.record({id: fc.string()}), odd),
      keys: fc.oneof(fc.dictionary(fc.constantFrom('test_secret', 'live_public', 'x'), fc.oneof(key, odd)), odd),
      timeout: odd,
      toString: odd,
    },
    {requiredKeys: []},
  );
  const documents = fc.record(
    {
      version: fc.oneof({weight: 9, arbitrary: fc.constant(1)}, {weight: 1, arbitrary: odd}),
      profile: fc.oneof(names, odd),
      profiles: fc.oneof(
        {weight: 9, arbitrary: fc.dictionary(names, fc.oneof(profile, odd))},
        {weight: 1, arbitrary: odd},
      ),
    },
    {requiredKeys: []},
  );
  let used = 0;
  fc.assert(
    fc.property(documents, (value) => {
      let configuration: Configuration;
      try {
        configuration = parse(JSON.stringify(value));
      } catch (error) {
        expect(error).toMatchObject({kind: 'config', code: 'invalid_config'});
        return;
      }
      used++;
      expect(parse(writeConfiguration(configuration))).toEqual(configuration);
    }),
    {seed: SEED, numRuns: runs(500)},
  );
  expect(used).toBeGreaterThan(runs(50));
});
