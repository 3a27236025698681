// Broken streams: a closed reader is not an error, a full disk is.

import {spawn, spawnSync} from 'node:child_process';
import {getEventListeners} from 'node:events';
import {existsSync, openSync} from 'node:fs';
import {Writable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {createStreams, type OutputStream} from '../../src/output/streams.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {render} from '../../src/output/render.js';
import {one, terminal} from '../support/output/recorded-terminal.js';

/** A real stream whose writes all fail with this error. */
function failing(code: string): OutputStream {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), {code})),
  }) as unknown as OutputStream;
}

const ioOn = (stdout: OutputStream, stderr: OutputStream = failing('EPIPE')) =>
  createStreams({stdout, stderr, stdin: {}, env: {}});

describe('a broken stream', () => {
  test('EPIPE closes the stream at once and is not an error', async () => {
    const io = ioOn(failing('EPIPE'));
    await io.out('data\n');
    expect(io.closed).toBe(true);
    await io.out('more\n');
  });

  test.each([
    ['ENOSPC', 'The disk is full.'],
    ['EIO', 'The disk reported an error.'],
    ['EFBIG', 'The file has reached the maximum size.'],
  ])('%s: what could not be written is an error, then and afterwards', async (code, why) => {
    const io = ioOn(failing(code));
    await expect(io.out('data\n')).rejects.toMatchObject({kind: 'local_io', details: {why}});
    await expect(io.out('data\n')).rejects.toMatchObject({kind: 'local_io'});
    expect(io.closed).toBe(false);
  });

  test('ignores a note on a closed stderr', async () => {
    const {out, io} = terminal();
    expect(() => ioOn({write: () => true, on: () => undefined}, failing('EIO')).note('hello')).not.toThrow();
    await io.out('x');
    expect(out()).toBe('x');
  });
});

test('any number of writes wait for the reader with one listener, and end together', async () => {
  const stopping = new AbortController();
  const {signal} = stopping;
  const stdout = {write: () => false, on: () => undefined};
  const io = createStreams({stdout, stderr: failing('EPIPE'), stdin: {}, env: {}, signal});
  const writes = Array.from({length: 40}, async () => io.out('delivery\n'));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  stopping.abort();
  for (const end of await Promise.allSettled(writes)) expect(end).toMatchObject({reason: {kind: 'interrupted'}});
});

test.each([
  ['hello there', 'hello there\n'],
  ['  one two three four five', '  one two three\n  four five\n'],
  ['Done. To see it: centavo get A', 'Done. To see it:\ncentavo get A\n'],
  // The terminal folds the command at any position.
  ['To see it: centavo get A --profile shop', 'To see it:\ncentavo get A --profile shop\n'],
  ['https://example.com/long/address', 'https://example.com/long/address\n'],
])('%j is broken between words on a narrow terminal, and not in a pipe or for a program', (text, broken) => {
  const narrow = terminal({columns: 18});
  narrow.io.note(text);
  narrow.io.note(text, {whole: true});
  expect(narrow.err()).toBe(`${broken}${text}\n`);
  const pipe = terminal({columns: 18, tty: false});
  pipe.io.note(text);
  expect(pipe.err()).toBe(`${text}\n`);
});

describe('properties of the streams', () => {
  test.each([
    [{columns: 132}, 132],
    [{columns: 132, env: {COLUMNS: '100'}}, 100],
    [{columns: 132, env: {COLUMNS: 'many'}}, 132],
    [{columns: 132, env: {COLUMNS: '0'}}, 132],
    [{columns: 132, env: {COLUMNS: '-5'}}, 132],
    // A terminal of unknown size reports 0.
    [{columns: 0}, 80],
  ])('the width of %j is %i', (options, width) => {
    expect(terminal(options).io.width).toBe(width);
  });

  test('prompts need terminals on both stdin and stderr', () => {
    const streams = (stdin: boolean, stderr: boolean) =>
      createStreams({
        stdout: failing(''),
        stderr: Object.assign(failing(''), {isTTY: stderr}),
        stdin: {isTTY: stdin},
        env: {},
      }).canAsk;
    expect([streams(true, true), streams(true, false), streams(false, true), streams(false, false)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('quiet hides notes, never data', async () => {
    const {io, out, err} = terminal();
    io.settings.quiet = true;
    io.note('hello');
    await io.out('data');
    expect([out(), err()]).toEqual(['data', '']);
  });
});

test('for a screen reader, prints a progress line for each tenth, and none without a share', () => {
  const {io, err} = terminal({env: {ACCESSIBLE: '1'}});
  for (let at = 0; at < 40; at++) io.progress(`${at} of 40`, at / 40);
  io.progress('Looking');
  io.progress(undefined);
  expect(err()).toBe([0, 4, 8, 12, 16, 20, 24, 28, 32, 36].map((at) => `${at} of 40\n`).join(''));
});

describe('the note about hidden secrets', () => {
  const NOTE = 'Secrets are hidden. To show them, add --reveal.\n';

  test('is printed once, at a terminal, for secrets that --reveal would show', async () => {
    const {io, err} = terminal({env: {NO_COLOR: '1'}});
    await io.out('whsk_abcdefgh12');
    io.noteHiddenSecrets();
    io.noteHiddenSecrets();
    expect(err()).toBe(NOTE);
  });

  test.each([
    ['in a pipe', {tty: false}, ['whsk_abcdefgh12'], {}],
    ['with --quiet', {}, ['whsk_abcdefgh12'], {quiet: true}],
    ['with --reveal', {}, ['whsk_abcdefgh12'], {reveal: true}],
    ['of a key, which nothing shows', {}, ['sk_live_abcdefgh12'], {}],
    ['of a link, which is whole', {}, ['https://x.example/b/bstm_1_secret_abcdefgh12'], {}],
    ['where nothing was hidden', {}, ['hello', 'a word that says [redacted]'], {}],
  ])('is not printed: %s', async (_, options, texts, settings) => {
    const {io, err} = terminal(options);
    Object.assign(io.settings, settings);
    for (const text of texts) await io.out(text);
    io.noteHiddenSecrets();
    expect(err()).toBe('');
  });

  test('is not printed for a field outside all columns', async () => {
    const {io, err} = terminal({env: {NO_COLOR: '1'}});
    const row = {id: 'pi_1', payment_intent: {id: 'pi_1', client_secret: 'x'}};
    await render(one(row, [{path: 'id', header: 'id', kind: 'text'}]), {format: 'table'}, io);
    io.noteHiddenSecrets();
    expect(err()).toBe('');
  });

  test('is not printed for secrets on stderr', () => {
    const {io, err} = terminal();
    io.note('whsk_abcdefgh12');
    io.noteHiddenSecrets();
    expect(err()).toBe('whsk_[redacted]\n');
  });
});

describe('a key in use', () => {
  const BODY = 'MadeUp0123456789abcd';

  test.each([
    ['alone', BODY, '[redacted]'],
    [
      'with its underscores as JSON may write them',
      String.raw`"sk\u005ftest\u005f${BODY}"`,
      String.raw`"sk\u005ftest\u005f[redacted]"`,
    ],
    ['as a page writes them', `sk&#95;test&#95;${BODY} `, 'sk&#95;test&#95;[redacted] '],
    ['as a URL writes them', `sk%5Ftest%5F${BODY}&`, 'sk%5Ftest%5F[redacted]&'],
    ['with hyphens', `sk-test-${BODY}.`, 'sk-test-[redacted].'],
    ['on two lines', `sk_test_\n${BODY}\n`, 'sk_test_\n[redacted]\n'],
    ['in base64 without its beginning', Buffer.from(`:${BODY}:`).toString('base64'), 'Ok[redacted]'],
    ['whole, as ever', `sk_test_${BODY}`, 'sk_test_[redacted]'],
    ['named by its last four', 'sk_test_…abcd', 'sk_test_…abcd'],
  ])('is not printed %s', async (_, text, printed) => {
    const {io, out, err} = terminal({env: {CENTAVO_SECRET_KEY: `sk_test_${BODY}`}});
    await io.out(text);
    io.note(text);
    expect([out(), err()]).toEqual([printed, `${printed.replaceAll('\n', '⏎')}\n`]);
  });

  test.each(['&apos;', '&#39;'])('with an apostrophe is hidden on a page that writes it %s', (apostrophe) => {
    const io = ioOn(failing('EPIPE'));
    io.addSecret("Ana's & Ben's staple", 'webhook secret');
    const page = `<p>Ana${apostrophe}s &amp; Ben${apostrophe}s staple</p>`;
    expect(io.redact(page)).not.toMatch(/Ben|staple/);
  });

  test('if short, is matched only with its prefix', async () => {
    const {io, out} = terminal({env: {CENTAVO_SECRET_KEY: 'sk_test_customers'}});
    await io.out('customers sk_test_customers');
    expect(out()).toBe('customers sk_test_[redacted]');
  });
});

describe('the program', () => {
  test.runIf(existsSync('/dev/full'))('on a full disk ends with 15 and says so, in every form', () => {
    const directory = temporaryDirectory();
    for (const form of [[], ['--json'], ['-o', 'csv'], ['--jq', '.']]) {
      const {status, stderr} = spawnSync(process.execPath, [RUN, 'sandbox', 'clock', ...form], {
        env: cliEnvironment(directory),
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        encoding: 'utf8',
      });
      expect(status).toBe(15);
      expect(stderr).toContain('The disk is full.');
    }
  });

  test('ends quietly with 0 when its reader has gone', async () => {
    const child = spawn(process.execPath, [RUN, 'sandbox', 'clock'], {env: cliEnvironment(temporaryDirectory())});
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({status, stderr}).toEqual({status: 0, stderr: ''});
  });
});
