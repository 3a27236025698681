// Limits of a profile with a live key: only a person loosens them, and they apply wherever the key is used.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import * as fc from 'fast-check';
import {ENDPOINTS} from '../../../src/client/endpoints.js';
import {parseConfiguration} from '../../../src/config/configuration-file.js';
import {fingerprint} from '../../../src/config/keys/keys.js';
import {resolve, type ProfileLimits} from '../../../src/config/resolve.js';
import {person, type Person} from '../../support/scenarios/accounts.js';
import {terminalInProcess} from '../../support/in-process.js';
import {begun, configure} from '../../support/scenarios/limits.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {ENTER} from '../../support/terminal.js';
import {runs} from '../../support/test-size.js';
import {SEED} from '../../support/seed.js';

const WHO = 'A person can change this limit at a terminal.';

async function api() {
  const made = await service();
  onTestFinished(made.close);
  return made;
}

const INTENT = 'payment-intents create --amount 200 --payment-methods card --live --yes --json'.split(' ');

/** A profile shop with a live key and a limit of ₱100. */
async function limited(url: string, more: object = {}): Promise<Person> {
  const someone = person();
  await someone.keep(LIVE_KEY, url);
  // As a version left it that remembered no keys.
  const {known_keys: _, ...shop} = someone.configured().profiles.shop;
  configure(someone.directory, {profile: 'shop', profiles: {shop: {...shop, max_amount: 10_000, ...more}}});
  return someone;
}

describe('a limit of a profile with a live key', () => {
  const LOOSER = [
    [['config', 'set', 'max_amount', '5,000'], 'max_amount from ₱100.00 to ₱5,000.00'],
    [['config', 'unset', 'max_amount', '-p', 'shop'], 'max_amount from ₱100.00 to unset'],
    [['config', 'set', 'read_only', 'false'], 'read_only from true to false'],
    [['config', 'set', 'max_statements_per_run', '3'], 'max_statements_per_run from 2 to 3'],
    [
      ['profiles', 'remove', 'shop'],
      'read_only from true to unset, max_amount from ₱100.00 to unset, max_statements_per_run from 2 to unset',
    ],
  ] as const;

  test.for(LOOSER)('can be loosened only by a person: %j', async ([words, change]) => {
    const someone = await limited('http://127.0.0.1:9', {read_only: true, max_statements_per_run: 2});
    const before = someone.configured();
    for (const more of [[], ['--yes'], ['--yes', '--live', '--no-input']]) {
      const refused = await someone.run([
        ...words,
        ...more.filter((flag) => flag !== '--live' || words[0] === 'config'),
        '--json',
      ]);
      expect(refused, refused.stderr).toMatchObject({status: 12, stdout: ''});
      expect(refused.error()).toMatchObject({code: 'cannot_confirm', applied: 'no', hint: null});
      expect(refused.error().message).toContain(change);
      expect(refused.error().message).toContain('Only a person at a terminal can loosen a limit');
    }
    expect([someone.configured(), begun(someone.directory)]).toEqual([before, []]);

    for (const [answer, status] of [
      [ENTER, 12],
      [`y${ENTER}`, 0],
    ] as const) {
      const desk = terminalInProcess(someone.directory, [...words, '--yes'], {columns: 250});
      await desk.until(/\(y\/N\)\s*$/);
      expect(desk.text()).toContain(`LIVE · shop: `);
      expect(desk.text()).toContain(`: ${change}? (y/N)`);
      desk.type(answer);
      expect(await desk.ended, desk.text()).toBe(status);
      if (status === 12) expect([someone.configured(), begun(someone.directory)]).toEqual([before, []]);
    }
    expect(someone.configured()).not.toEqual(before);
    const {data} = (await someone.run(['history', '--json'])).json();
    const command = words.slice(0, 2).join(' ');
    expect(data).toMatchObject([
      {command, profile: 'shop', mode: 'live', reason: change, result: 'ok', applied: 'yes'},
    ]);
    const {stdout} = await someone.run(['history'], {columns: 200});
    expect(stdout.replace(/\s*\n\s*/g, ' ')).toContain(`${command}: ${change}`);
  });

  test('is tightened without a question and recorded; sandbox limits change freely and are recorded', async () => {
    const {run} = await limited('http://127.0.0.1:9');
    for (const words of [
      ['set', 'max_amount', '100'],
      ['set', 'max_amount', '50'],
      ['set', 'timeout', '5s'],
      ['set', 'max_amount', '20', '-p', 'sandbox'],
      ['unset', 'max_amount', '-p', 'sandbox'],
    ])
      expect((await run(['config', ...words])).status).toBe(0);
    const {data} = (await run(['history', '--json'])).json();
    expect(data.map(({command, mode, reason}: Record<string, string>) => `${mode} ${command}: ${reason}`)).toEqual([
      'sandbox config unset: max_amount from ₱20.00 to unset',
      'sandbox config set: max_amount from unset to ₱20.00',
      'live config set: max_amount from ₱100.00 to ₱50.00',
    ]);
    expect((await run(['config', 'set', 'max_amount', '60', '--dry-run'])).status).toBe(0);
  });

  test('is not loosened further than confirmed', async () => {
    const someone = await limited('http://127.0.0.1:9');
    const desk = terminalInProcess(someone.directory, ['config', 'set', 'max_amount', '5,000'], {columns: 200});
    await desk.until(/\(y\/N\)\s*$/);
    const text = readFileSync(someone.configuration, 'utf8');
    writeFileSync(someone.configuration, text.replace('"max_amount":10000', '"max_amount":1'));
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toContain('the limits or keys of shop changed during this command.');
    expect(someone.configured().profiles.shop.max_amount).toBe(1);
    expect(begun(someone.directory)).toEqual([]);
  });

  test('is not changed if the history cannot be written', async () => {
    const someone = await limited('http://127.0.0.1:9');
    const before = someone.configured();
    const env = {CENTAVO_DATA_DIR: join(someone.configuration, 'not-a-folder')};
    const failed = await someone.run(['config', 'set', 'max_amount', '50', '--json'], {env});
    expect(failed.error()).toMatchObject({code: 'not_recorded', exit_code: 15, applied: 'no'});
    expect(someone.configured()).toEqual(before);
  });
});

describe('the limits of every profile with the key', () => {
  const from = (stated: string) => ({code: 'over_max_amount', hint: WHO, message: expect.stringContaining(stated)});

  test('apply in the environment, in other profiles, from a program, and after a logout', async () => {
    const {url, writes} = await api();
    const someone = await limited(url);
    const given = {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: LIVE_KEY};
    await someone.keep(LIVE_KEY, url, {profile: 'other'});
    await someone.keep(LIVE_KEY, url, {profile: 'program', store: {command: ['echo', LIVE_KEY]}});
    const uses: [readonly string[], Record<string, string>][] = [
      [[], {...given, CENTAVO_PROFILE: 'env'}],
      [['-p', 'env'], given],
      [[], {...given, CENTAVO_PROFILE: 'other'}],
      [['-p', 'other'], {}],
      [['-p', 'program'], {}],
    ];
    const each = async () => {
      for (const [words, env] of uses) {
        const refused = await someone.run([...INTENT, ...words], {env});
        expect(refused.error(), words.join(' ')).toMatchObject(from('max_amount is set by profile shop for this key.'));
      }
    };
    await each();
    expect((await someone.run(['logout', '-p', 'shop'])).status).toBe(0);
    await each();
    expect((await someone.run(['config', 'unset', 'max_amount', '-p', 'shop'])).status).toBe(12);
    expect((await someone.run(['profiles', 'remove', 'shop', '--yes'])).status).toBe(12);
    // Another key in the same profile does not make it forget the first.
    await someone.keep(LIVE_KEY.replace('abcdef', 'zzzzzz'), url);
    await each();
    // The tightest of several wins.
    await someone.run(['config', 'set', 'max_amount', '50', '-p', 'other']);
    const tighter = await someone.run([...INTENT, '-p', 'program']);
    expect(tighter.error()).toMatchObject(
      from('the limit is ₱50.00 for one change. max_amount is set by profile other'),
    );
    expect(writes()).toEqual([]);
    // A key that none of them knows is free: that the others are refused is the limits' doing.
    const stranger = {...given, CENTAVO_SECRET_KEY: LIVE_KEY.replace('abcdef', 'yyyyyy'), CENTAVO_PROFILE: 'env'};
    expect((await someone.run(INTENT, {env: stranger})).status).toBe(0);
    expect(writes()).toEqual(['POST /payment_intents']);
  });

  test('of env apply to every key of the environment, and to the same key in a profile', async () => {
    const {url, writes} = await api();
    const someone = person({CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: LIVE_KEY});
    await someone.keep(TEST_KEY, url);
    expect((await someone.run(['config', 'set', 'max_amount', '100', '-p', 'env'])).status).toBe(0);
    const login = ['login', '-p', 'mine', '--with-token', '--offline', '--insecure-storage=live'];
    expect((await someone.run(login, {input: LIVE_KEY})).status).toBe(0);
    for (const profile of ['env', 'shop']) {
      const refused = await someone.run(INTENT, {env: {CENTAVO_PROFILE: profile}});
      expect(refused.error()).toMatchObject(from('max_amount is set by profile env'));
    }
    const stored = await someone.run([...INTENT, '-p', 'mine'], {env: {CENTAVO_SECRET_KEY: undefined}});
    expect(stored.error()).toMatchObject(from('max_amount is set by profile env for this key.'));
    // Also without its key in the environment: the owner of the profile env is unknown.
    const raise = ['config', 'set', 'max_amount', '900', '-p', 'env'];
    expect((await someone.run(raise, {env: {CENTAVO_SECRET_KEY: undefined}})).status).toBe(12);
    expect(writes()).toEqual([]);
  });

  test('are lifted by a command, with the profile, that is shown only to a person', async () => {
    const {url} = await api();
    const someone = await limited(url, {read_only: true});
    await someone.keep(LIVE_KEY, url, {profile: 'other'});
    const words = ['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--live', '-p', 'other'];
    const desk = terminalInProcess(someone.directory, words, {columns: 200});
    expect(await desk.ended).toBe(12);
    expect(desk.text()).toContain('To allow it: centavo config set read_only false --profile shop');
    const alone = await someone.run(words);
    expect(alone.stderr).toBe(
      `Error: the profile shop is read-only.\n  read_only is set by profile shop for this key. Nothing was changed.\n  ${WHO}\n`,
    );
  });
});

describe('command lines without a terminal', () => {
  const keyOf = (name: string): string => `sk_live_MadeUpForTests0123456789${name}`;
  const [READER, SMALL, FEW, GIVEN, FREE] = [
    keyOf('reader'),
    keyOf('small'),
    keyOf('few'),
    keyOf('given'),
    keyOf('free'),
  ];
  /** The initial limit of each, and a change that it forbids. */
  const LIMITED: readonly [key: string, holds: (limits: ProfileLimits) => boolean, words: readonly string[]][] = [
    [READER, ({readOnly}) => readOnly.value, ['customers', 'create', '--name', 'A', '--email', 'a@b.co']],
    [SMALL, ({maxAmount}) => maxAmount.value! <= 10_000, INTENT.slice(0, 6)],
    [
      FEW,
      ({maxStatementsPerRun}) => maxStatementsPerRun.value! <= 2,
      ['billing-statements', 'void', 'bstm_1', 'bstm_2', 'bstm_3'],
    ],
    [GIVEN, ({maxAmount}) => maxAmount.value! <= 10_000, INTENT.slice(0, 6)],
  ];

  const name = fc.constantFrom('shop', 'few', 'reader', 'x', 'y', 'env', 'sandbox');
  const profile = fc.oneof({weight: 3, arbitrary: name.map((each) => ['-p', each])}, fc.constant<string[]>([]));
  const key = fc.constantFrom(READER, SMALL, FEW, FREE, TEST_KEY);
  const setting = fc.constantFrom(
    ...['read_only false', 'read_only true', 'max_amount 1', 'max_amount 100', 'max_amount 900,000'],
    ...['max_statements_per_run 1', 'max_statements_per_run 99', 'timeout 9s'],
  );
  interface Line {
    readonly words: readonly string[];
    readonly input?: string;
    readonly env?: Record<string, string | undefined>;
  }
  const login = ['login', '--offline', '--base-url'];
  const linesFor = (url: string, fileOf: (key: string) => string): fc.Arbitrary<Line> => {
    const line: fc.Arbitrary<Line> = fc.oneof(
      fc.tuple(setting, profile).map(([words, of]) => ({words: ['config', 'set', ...words.split(' '), ...of]})),
      fc.tuple(setting, profile).map(([words, of]) => ({words: ['config', 'unset', words.split(' ')[0]!, ...of]})),
      name.map((each) => ({words: ['profiles', 'remove', each, '--force']})),
      name.map((each) => ({words: ['profiles', 'use', each]})),
      profile.map((of) => ({words: ['logout', ...of]})),
      fc.tuple(key, profile).map(([input, of]) => ({
        ...{words: [...login, url, '--with-token', '--insecure-storage=live', ...of], input},
      })),
      fc.tuple(key, profile).map(([printed, of]) => ({
        words: [...login, url, '--credential-command', `cat ${fileOf(printed)}`, ...of],
      })),
      // As a script does that stores the key that it was given.
      profile.map((of) => ({
        ...{words: [...login, url, '--with-token', '--insecure-storage=live', ...of], input: GIVEN},
        env: {CENTAVO_SECRET_KEY: GIVEN},
      })),
    );
    const flags = fc.subarray(['--yes', '--live', '--no-input', '--quiet', '--json']);
    const env = fc.record({
      CENTAVO_PROFILE: fc.option(name, {nil: undefined, freq: 3}),
      CENTAVO_SECRET_KEY: fc.option(fc.constantFrom(READER, SMALL, FEW, GIVEN, TEST_KEY), {nil: undefined, freq: 3}),
    });
    return fc.tuple(line, flags, env).map(([one, more, variables]) => ({
      ...{...one, words: [...one.words, ...more]},
      env: {...variables, ...one.env},
    }));
  };

  test(`never loosen a limit for a live key, whatever ${runs(1000)} of them do`, async () => {
    const {url, writes} = await api();
    const someone = person();
    const fileOf = (which: string): string => join(someone.directory, which.slice(-6));
    for (const which of [READER, SMALL, FEW, FREE, TEST_KEY]) writeFileSync(fileOf(which), which, {mode: 0o600});
    const [reader, shop, few] = [{read_only: true}, {max_amount: 10_000}, {max_statements_per_run: 2}];
    for (const [each, which] of [
      ['reader', READER],
      ['shop', SMALL],
      ['few', FEW],
    ] as const)
      await someone.keep(which, url, {profile: each});
    const {profiles: made} = someone.configured();
    const profiles = {reader: {...made.reader, ...reader}, shop: {...made.shop, ...shop}, few: {...made.few, ...few}};
    configure(someone.directory, {profile: 'shop', profiles: {...profiles, env: shop}});

    /** Every way in which the current configuration allows a key to be used. */
    function usesOf(which: string): {env: Record<string, string>; profile?: string; limits: ProfileLimits}[] {
      const configuration = parseConfiguration(readFileSync(someone.configuration, 'utf8'), someone.configuration);
      const names = [...new Set(['env', ...Object.keys(configuration.profiles)])].filter((each) => each !== 'sandbox');
      const given = {configuration, endpoints: ENDPOINTS};
      const byVariable = names.map((each) => {
        const env = {CENTAVO_BASE_URL: url, CENTAVO_PROFILE: each, CENTAVO_SECRET_KEY: which};
        return {env, limits: resolve({...given, env, flags: {live: true}}).limits};
      });
      const stored = names.filter((each) => {
        const kept = configuration.profiles[each]?.keys.live_secret;
        return (
          kept && ('fingerprint' in kept ? kept.fingerprint === fingerprint(which) : kept.command[1] === fileOf(which))
        );
      });
      const byProfile = stored.map((each) => {
        const printed = configuration.profiles[each]!.keys.live_secret!.store === 'command' ? which : undefined;
        const flags = {profile: each, live: true};
        return {env: {}, profile: each, limits: resolve({...given, env: {}, flags, printed}).limits};
      });
      return [...byVariable, ...byProfile];
    }

    const ended = new Map<number | null, number>();
    const lines = fc.sample(linesFor(url, fileOf), {numRuns: runs(1000), seed: SEED});
    for (const [index, {words, ...options}] of lines.entries()) {
      const before = readFileSync(someone.configuration, 'utf8');
      const {status} = await someone.run(words, options);
      ended.set(status, (ended.get(status) ?? 0) + 1);
      if (readFileSync(someone.configuration, 'utf8') !== before)
        for (const [which, holds] of LIMITED)
          for (const use of usesOf(which))
            expect(holds(use.limits), `line ${index}, ${JSON.stringify({words, ...options, use})}`).toBe(true);
      if (index % 200 < 199) continue;
      // And so the program sees it.
      for (const [which, , change] of LIMITED)
        for (const {env, profile: named} of usesOf(which)) {
          const asked = [...change, '--live', '--yes', '--json', ...(named === undefined ? [] : ['-p', named])];
          expect((await someone.run(asked, {env})).status).not.toBe(0);
        }
    }
    expect(writes()).toEqual([]);
    // Most commands did something, and many would have loosened a limit.
    expect(ended.get(0)).toBeGreaterThan(runs(300));
    expect(ended.get(12)).toBeGreaterThan(runs(50));
  });
});
