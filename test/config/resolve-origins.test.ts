// Where a stored key may be sent: only to the origin where it was checked, whatever a flag or variable says.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {KeySlot} from '../../src/config/keys/keys.js';
import type {Configuration} from '../../src/config/profiles.js';
import type {Connection} from '../../src/config/resolve.js';
import {CentavoError} from '../../src/common/errors.js';
import {active, held, PAYREX, withKeys} from '../support/config/profiles.js';
import {BODY, refusal, resolved, TEST_KEY, type Given} from '../support/config/resolving.js';
import {runs} from '../support/test-size.js';

const SEED = 20261221;

describe('a stored key', () => {
  const TRICKS = [
    'https://api.payrexhq.com.',
    'https://api.payrexhq.com:8443',
    'http://api.payrexhq.com',
    'https://api.payrexhq.com.evil.example',
    'https://evil.example/https://api.payrexhq.com',
    'https://evil.example#@api.payrexhq.com',
    'https://evil.example?api.payrexhq.com',
    'https://evil.example\\@api.payrexhq.com',
    'https://api.payrexhq.com\t.evil.example',
    'https://api.p\u0430yrexhq.com',
    'https://api.payrexhq.com%2eevil.example',
    'https://①27.0.0.1',
    'http://127.0.0.1:4010',
    'http://[::1]:4010',
    'sandbox',
  ];
  const sayings = {
    variable: (url: string): Given => ({
      env: {CENTAVO_BASE_URL: url},
      configuration: active('shop', {shop: withKeys(['test_secret', 'live_secret'])}),
    }),
    file: (url: string): Given => ({
      configuration: active('shop', {shop: withKeys(['test_secret', 'live_secret'], {base_url: url})}),
    }),
  };

  test.for(Object.keys(sayings).flatMap((who) => TRICKS.map((url) => [who as keyof typeof sayings, url] as const)))(
    'goes to no other origin than where it was checked: the %s says %j',
    ([who, url]) => {
      for (const live of [undefined, true]) {
        const error = refusal({flags: {live}, ...sayings[who](url)});
        expect(error).toMatchObject({exitCode: 12, code: 'other_origin', details: {applied: 'no'}});
        expect(error.message).toContain(`was stored for ${PAYREX}, so it is not sent to`);
        expect(error.details.why).toBe(
          `The address comes from ${who === 'file' ? 'profile shop' : 'CENTAVO_BASE_URL'}.`,
        );
      }
    },
  );

  test.for(['payrex', PAYREX, 'https://API.PAYREXHQ.COM', 'https://api.payrexhq.com:443', 'https://api.payrexhq.com/'])(
    'goes to the same origin, however it is written: %s',
    (url) => {
      for (const say of Object.values(sayings)) expect(new URL(resolved(say(url)).baseUrl!.value).origin).toBe(PAYREX);
    },
  );

  test.for(['https://me:hunter2@api.payrexhq.com', 'https://hunter2@api.payrexhq.com', 'http://me:hunter2@127.0.0.1'])(
    'goes to no address with a password in it, which is not shown: %s',
    (url) => {
      for (const say of Object.values(sayings)) {
        const error = refusal(say(url));
        expect(error).toMatchObject({exitCode: 12, code: 'unsafe_url'});
        expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
      }
    },
  );
});

test(`a named account is never replaced by the sandbox, nor a key sent elsewhere (seed ${SEED})`, () => {
  const slot = fc.constantFrom<KeySlot>('test_secret', 'live_secret', 'test_public', 'live_public');
  const origin = fc.constantFrom(PAYREX, 'https://other.example', 'http://127.0.0.1:4010');
  const url = fc.option(fc.constantFrom('payrex', 'sandbox', PAYREX, 'https://other.example', 'nonsense', ''), {
    nil: undefined,
  });
  const account = fc
    .tuple(fc.uniqueArray(slot), origin, url)
    .map(([slots, where, base_url]) =>
      withKeys(slots, base_url === undefined ? {} : {base_url}, held({origin: where})),
    );
  const name = fc.option(fc.constantFrom('shop', 'second', 'gone'), {nil: undefined});
  const key = fc.option(fc.constantFrom(TEST_KEY, `sk_live_${BODY}`, `pk_live_${BODY}`, 'nonsense', ' ', ''), {
    nil: undefined,
  });
  const given = fc.record({
    flags: fc.record({profile: name, live: fc.boolean(), acceptsPublicKey: fc.boolean()}),
    env: fc.record({CENTAVO_PROFILE: name, CENTAVO_SECRET_KEY: key, CENTAVO_BASE_URL: url}),
    configuration: fc
      .tuple(name, account, account)
      .map(([profile, shop, second]): Configuration => active(profile, {shop, second})),
  });
  let used = 0;
  fc.assert(
    fc.property(given, (surroundings) => {
      const {flags, env, configuration} = surroundings;
      const wanted = flags.profile ?? env.CENTAVO_PROFILE ?? configuration.profile;
      let connection: Connection;
      try {
        connection = resolved(surroundings);
      } catch (error) {
        if (error instanceof CentavoError) return [4, 12, 14].includes(error.exitCode);
        throw error;
      }
      used++;
      if (connection.mode === 'sandbox')
        return wanted === undefined && !env.CENTAVO_SECRET_KEY && !env.CENTAVO_BASE_URL;
      if (connection.profile.value !== (wanted ?? 'env')) return false;
      const {key, baseUrl} = connection;
      if (key!.value === undefined) return new URL(baseUrl!.value).origin === key!.stored!.origin;
      // The key of the environment is not sent to an address of a flag, or of the active profile alone.
      if (key!.value !== env.CENTAVO_SECRET_KEY || flags.profile !== undefined) return false;
      return (
        Boolean(env.CENTAVO_PROFILE) ||
        !baseUrl!.source.startsWith('profile') ||
        new URL(baseUrl!.value).origin === PAYREX
      );
    }),
    {seed: SEED, numRuns: runs(5000)},
  );
  expect(used).toBeGreaterThan(runs(500));
});
