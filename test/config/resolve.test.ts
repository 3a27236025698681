// Which account a command uses: flag, then environment, profile and default, for each value, with its source.

import {describe, expect, test} from 'vitest';
import {ENDPOINTS} from '../../src/client/endpoints.js';
import type {Profile} from '../../src/config/profiles.js';
import type {Connection, ResolveInput} from '../../src/config/resolve.js';
import {active, held, PAYREX, withKeys} from '../support/config/profiles.js';
import {refusal, resolved, subsets, TEST_KEY} from '../support/config/resolving.js';

describe('which profile', () => {
  const profiles = {
    flagged: withKeys(['test_secret']),
    shop: withKeys(['test_secret']),
    variable: withKeys(['test_secret']),
  };
  type Said = 'active' | 'active sandbox' | 'flag' | 'key' | 'variable';
  const rows: [Said[], string, string][] = [
    [[], 'sandbox', 'default'],
    [['active'], 'shop', 'configuration'],
    [['active sandbox'], 'sandbox', 'configuration'],
    [['key'], 'env', 'CENTAVO_SECRET_KEY'],
    [['key', 'active'], 'shop', 'configuration'],
    [['key', 'active sandbox'], 'env', 'CENTAVO_SECRET_KEY'],
    ...subsets<Said>(['key', 'active', 'active sandbox']).flatMap((others): [Said[], string, string][] => [
      [['variable', ...others], 'variable', 'CENTAVO_PROFILE'],
      [['flag', ...others], 'flagged', '--profile'],
      [['flag', 'variable', ...others], 'flagged', '--profile'],
    ]),
  ];
  test.for(rows)('from %j: %s, by %s', ([said, value, source]) => {
    const has = (what: Said) => said.includes(what);
    const connection = resolved({
      flags: has('flag') ? {profile: 'flagged'} : {},
      env: {
        ...(has('variable') && {CENTAVO_PROFILE: 'variable'}),
        ...(has('key') && {CENTAVO_SECRET_KEY: TEST_KEY}),
      },
      configuration: active(has('active sandbox') ? 'sandbox' : has('active') ? 'shop' : undefined, profiles),
    });
    expect(connection.profile).toEqual({value, source});
    expect(connection.mode).toBe(value === 'sandbox' ? 'sandbox' : 'test');
    expect(connection.key?.source).toBe(
      value === 'sandbox'
        ? undefined
        : has('key') && !has('flag')
          ? 'CENTAVO_SECRET_KEY'
          : `profile ${value} (keychain)`,
    );
  });

  test('an explicit sandbox is the sandbox, whatever key is set', () => {
    for (const given of [{flags: {profile: 'sandbox'}}, {env: {CENTAVO_PROFILE: 'sandbox'}}])
      expect(resolved({...given, env: {...given.env, CENTAVO_SECRET_KEY: TEST_KEY}}).mode).toBe('sandbox');
  });

  test.for([
    [{flags: {profile: 'shpo'}}, 'comes from --profile'],
    [{flags: {profile: ''}}, 'comes from --profile'],
    [{flags: {profile: 'constructor'}}, 'comes from --profile'],
    [{env: {CENTAVO_PROFILE: 'shpo'}}, 'comes from CENTAVO_PROFILE'],
    [{configuration: active('shpo', profiles)}, 'comes from configuration'],
  ] as const)('one that is not there is exit 14: %j', ([given, why]) => {
    const error = refusal({configuration: active(undefined, profiles), ...given});
    expect(error).toMatchObject({exitCode: 14, code: 'unknown_profile'});
    expect(error.details.why).toContain('sandbox, env, flagged, shop, variable');
    expect(error.details.why).toContain(why);
  });

  test('ignores an empty CENTAVO_PROFILE', () => {
    expect(resolved({env: {CENTAVO_PROFILE: ''}}).profile.source).toBe('default');
  });
});

describe('each value, from each source', () => {
  type Layer = 'default' | 'environment' | 'flag' | 'profile';
  interface Row {
    readonly of: (connection: Connection) => {value: unknown; source: string} | undefined;
    readonly flag?: ResolveInput['flags'];
    readonly variable?: Record<string, string>;
    readonly setting: Profile['settings'];
    readonly values: Partial<Record<Layer, unknown>>;
    readonly sources?: Partial<Record<Layer, string>>;
  }
  const rows: Record<string, Row> = {
    timeout: {
      of: ({timeout}) => timeout,
      flag: {timeout: 5},
      variable: {CENTAVO_TIMEOUT: '7s'},
      setting: {timeout: 9},
      values: {flag: 5, environment: 7, profile: 9, default: 30},
      sources: {flag: '--timeout', environment: 'CENTAVO_TIMEOUT'},
    },
    base_url: {
      of: ({baseUrl}) => baseUrl,
      variable: {CENTAVO_BASE_URL: 'https://api.payrexhq.com:443'},
      setting: {base_url: 'https://API.payrexhq.com'},
      values: {environment: 'https://api.payrexhq.com:443', profile: 'https://API.payrexhq.com', default: PAYREX},
      sources: {environment: 'CENTAVO_BASE_URL'},
    },
    encoding: {
      of: ({encoding}) => encoding,
      variable: {CENTAVO_ENCODING: 'json'},
      setting: {encoding: 'json'},
      values: {environment: 'json', profile: 'json', default: 'form'},
      sources: {environment: 'CENTAVO_ENCODING'},
    },
    read_only: {
      of: ({limits}) => limits.readOnly,
      variable: {CENTAVO_READ_ONLY: 'false'},
      setting: {read_only: true},
      values: {profile: true, default: false},
    },
    max_amount: {
      of: ({limits}) => limits.maxAmount,
      variable: {CENTAVO_MAX_AMOUNT: '1'},
      setting: {max_amount: 500},
      values: {profile: 500, default: undefined},
    },
    max_statements_per_run: {
      of: ({limits}) => limits.maxStatementsPerRun,
      variable: {CENTAVO_MAX_STATEMENTS_PER_RUN: '1'},
      setting: {max_statements_per_run: 3},
      values: {profile: 3, default: undefined},
    },
  };
  const cases = Object.entries(rows).flatMap(([name, row]) =>
    subsets<Layer>(['profile', 'environment', ...(row.flag ? (['flag'] as const) : [])]).map(
      (layers) => [name, layers, row] as const,
    ),
  );
  test.for(cases)('%s, from %j', ([, layers, {of, flag, variable, setting, values, sources}]) => {
    const connection = resolved({
      flags: layers.includes('flag') ? flag : {},
      env: layers.includes('environment') ? variable : {},
      configuration: active('shop', {shop: withKeys(['test_secret'], layers.includes('profile') ? setting : {})}),
    });
    // A setting without a variable ignores the environment: a limit comes from the profile.
    const order: Layer[] = ['flag', 'environment', 'profile', 'default'];
    const winner = order.find((layer) => layer in values && (layers.includes(layer) || layer === 'default'))!;
    expect(of(connection)).toEqual({
      value: values[winner],
      source: sources?.[winner] ?? (winner === 'profile' ? 'profile shop' : 'default'),
    });
  });

  test('the default encoding is the endpoint’s, or json', () => {
    const at = (base_url: string) =>
      resolved({
        configuration: active('shop', {
          shop: withKeys(
            ['test_secret'],
            {base_url},
            held({origin: new URL(ENDPOINTS[base_url]?.baseUrl ?? base_url).origin}),
          ),
        }),
      });
    expect(at('payrex')).toMatchObject({encoding: {value: 'form', source: 'profile shop'}});
    expect(at('sandbox')).toMatchObject({
      baseUrl: {value: 'http://127.0.0.1:4010'},
      encoding: {value: 'json', source: 'profile shop'},
    });
    expect(at('https://api.example')).toMatchObject({encoding: {value: 'json', source: 'default'}});
    // The full address is the same service.
    for (const written of ['https://api.payrexhq.com', 'https://API.payrexhq.com/'])
      expect(at(written)).toMatchObject({
        baseUrl: {value: written, source: 'profile shop'},
        encoding: {value: 'form', source: 'profile shop'},
      });
    for (const other of ['https://api.payrexhq.com.example', 'https://api.payrexhq.com:8443'])
      expect(at(other)).toMatchObject({baseUrl: {value: other}, encoding: {value: 'json', source: 'default'}});
  });

  test.for([
    [{CENTAVO_TIMEOUT: 'soon'}, /CENTAVO_TIMEOUT/],
    [{CENTAVO_TIMEOUT: '0'}, /CENTAVO_TIMEOUT/],
    [{CENTAVO_ENCODING: 'xml'}, /CENTAVO_ENCODING/],
    [{CENTAVO_BASE_URL: 'api.example'}, /CENTAVO_BASE_URL/],
  ] as const)('a variable that says nothing sensible is exit 14: %j', ([env, words]) => {
    const error = refusal({env, configuration: active('shop', {shop: withKeys(['test_secret'])})});
    expect(error.exitCode).toBe(14);
    expect(error.message).toMatch(words);
  });

  test('ignores an empty variable', () => {
    const env = {CENTAVO_TIMEOUT: '', CENTAVO_ENCODING: '', CENTAVO_BASE_URL: '', CENTAVO_SECRET_KEY: ''};
    expect(resolved({env, configuration: active('shop', {shop: withKeys(['test_secret'])})})).toMatchObject({
      timeout: {source: 'default'},
      baseUrl: {source: 'default'},
      key: {source: 'profile shop (keychain)'},
    });
  });
});
