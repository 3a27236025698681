// `webhooks verify`: exact body bytes, secrets never in arguments, and output for scripts and people.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory, type CliOptions} from '../../support/cli.js';
import {
  bytes,
  digest,
  eventText,
  liveHeader,
  NOW,
  SECRET,
  SIGNED_AT,
  testHeader,
} from '../../webhooks/fixtures/signing.js';
import {commandsIn} from '../../support/commands.js';

const BODY = eventText();
const GOOD = testHeader(digest(BODY));
const ENV = {CENTAVO_WEBHOOK_SECRET: SECRET};

const verify = (words: readonly string[], options: CliOptions = {}) =>
  commandsIn(temporaryDirectory(), {env: ENV})(['webhooks', 'verify', '--now', String(NOW), ...words], options);

describe('a genuine delivery is exit 0', () => {
  test('with every field in --json, and empty stderr', async () => {
    const result = await verify(['--header', `Payrex-Signature: ${GOOD}`, '--json'], {input: BODY});
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toEqual({
      genuine: true,
      reason: null,
      mode: 'test',
      secret_index: 0,
      timestamp: SIGNED_AT,
      skew_seconds: 5,
      explanation: 'Signed in test mode with the secret in CENTAVO_WEBHOOK_SECRET, 5 s ago.',
      hint: null,
    });
  });

  test('for people: verdict, mode and time', async () => {
    const {status, stdout} = await verify(['--header', GOOD, '-o', 'table'], {input: BODY});
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Genuine +yes$/m);
    expect(stdout).toMatch(/^Mode +test$/m);
    expect(stdout).toMatch(/5 s\s+ago\./);
    expect(stdout).not.toContain(SECRET);
  });

  test('with the secret on the first line of stdin, and the body in a file or after it', async () => {
    const file = join(temporaryDirectory(), 'body');
    writeFileSync(file, BODY);
    const words = ['--secret-stdin', '--header', GOOD, '--json'];
    const env = {CENTAVO_WEBHOOK_SECRET: undefined};
    const runs = [
      verify([...words, '--body', file], {env, input: `${SECRET}\n`}),
      verify([...words, '--body', file], {env, input: SECRET}),
      verify(words, {env, input: `${SECRET}\r\n${BODY}`}),
    ];
    for (const result of await Promise.all(runs)) expect(result).toMatchObject({status: 0, stderr: ''});
  });

  test('of any age with tolerance 0', async () => {
    const old = SIGNED_AT - 86_400;
    const words = ['--header', testHeader(digest(BODY, old), old), '--tolerance', '0', '--json'];
    expect((await verify(words, {input: BODY})).json()).toMatchObject({genuine: true, skew_seconds: 86_405});
  });

  test('with any bytes: CRLF, non-ASCII, a final line break', async () => {
    const body = JSON.stringify({...JSON.parse(BODY), note: 'Ñ 💸\u2028'}, null, 2).replaceAll('\n', '\r\n') + '\n';
    const header = ['Content-Type: application/json', `PAYREX-SIGNATURE:${testHeader(digest(body))}`];
    const words = header.flatMap((line) => ['--header', line]);
    expect(await verify([...words, '--json'], {input: body})).toMatchObject({status: 0});
  });
});

describe('a delivery that is not genuine is exit 6, and says why', () => {
  const UTF8 = Buffer.concat([bytes('{"note":"'), Buffer.from([0xff]), bytes('"}')]);

  test.for([
    ['no_match', ['--header', GOOD], {input: `${BODY}\n`}, /without the line break at its end/],
    ['too_old', ['--header', GOOD, '--tolerance', '1'], {input: BODY}, /--tolerance 0/],
    ['wrong_mode', ['--header', GOOD, '--mode', 'live'], {input: BODY}, /--mode test/],
    ['mode_mismatch_body', ['--header', liveHeader(digest(BODY))], {input: BODY}, /moved/],
    ['body_not_utf8', ['--header', testHeader(digest(UTF8))], {input: UTF8}, /with the secret/],
    ['missing_header', ['--header', 'Content-Type: application/json'], {input: BODY}, /proxy/],
    [
      'no_secret',
      ['--header', GOOD],
      {input: BODY, env: {CENTAVO_WEBHOOK_SECRET: `${SECRET}\n`}},
      /Without the white space/,
    ],
  ] as readonly [string, string[], CliOptions, RegExp][])('%s', async ([reason, words, options, hint]) => {
    const result = await verify([...words, '--json'], options);
    expect(result.status).toBe(6);
    expect(result.json()).toMatchObject({genuine: false, reason, hint: expect.stringMatching(hint)});
    expect(result.error()).toMatchObject({code: 'not_genuine', exit_code: 6, hint: expect.stringMatching(hint)});
    expect(result.stdout + result.stderr).not.toContain(SECRET);
  });

  test('in three lines for people, without control characters from the header', async () => {
    const {status, stdout, stderr} = await verify(['--header', `${GOOD}\u001B[2J`, '-o', 'table'], {input: BODY});
    expect(status).toBe(6);
    expect(stderr.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toMatch(/not genuine \(malformed_header\)/);
    expect(stdout + stderr).not.toContain('\u001B');
  });
});

describe('bad input is exit 2', () => {
  test.for([
    ['no header', [], {input: BODY}, /--header is missing/],
    [
      'no secret',
      ['--header', GOOD],
      {input: BODY, env: {CENTAVO_WEBHOOK_SECRET: undefined}},
      /CENTAVO_WEBHOOK_SECRET is not set/,
    ],
    [
      'no secret on stdin',
      ['--header', GOOD, '--secret-stdin'],
      {input: `\n${BODY}`},
      /secret is missing from the first line/,
    ],
    ['the body where the secret is to be', ['--header', GOOD, '--secret-stdin'], {input: BODY}, /looks like the body/],
    ['no body after the secret', ['--header', GOOD, '--secret-stdin'], {input: SECRET}, /body is missing after/],
    ['a body that is not there', ['--header', GOOD, '--body', '/nonexistent/body'], {}, /cannot be read/],
    ['a tolerance that is none', ['--header', GOOD, '--tolerance', 'long'], {input: BODY}, /is not a duration/],
    ['a mode that is none', ['--header', GOOD, '--mode', 'both'], {input: BODY}, /mode/],
  ] as readonly [string, string[], CliOptions, RegExp][])('%s', async ([, words, options, message]) => {
    const result = await verify(words, options);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toContain(SECRET);
  });
});
