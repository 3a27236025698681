// --jq is jq itself: the same bytes as jq-wasm, and it can be interrupted.

import {loadJq} from 'jq-wasm';
import {describe, expect, test} from 'vitest';
import {recorded} from '../support/scenarios/recorded-bodies.js';
import {shapes} from '../../src/api/registry.js';
import {runJq} from '../../src/output/jq.js';
import {freshJq, program} from '../support/output/built-jq.js';
import {terminal} from '../support/output/recorded-terminal.js';

const shape = shapes.get('bstm_')!;
const LIST = {resource: 'list', has_more: false, data: recorded.list(shape)};
const direct = await loadJq();

async function printed(text: string, document: unknown = LIST, tty = false): Promise<string> {
  return runJq(await program(text), document, false, terminal({tty}).io);
}

describe('prints the output of jq, byte for byte', () => {
  test.each([
    '.data[].id',
    '.data|sort_by(.amount,.id)|map(.id)',
    '.data[]|[.id,.livemode,.description]|@csv',
    String.raw`.data[0]|@sh "id=\(.id) amount=\(.amount)"`,
    '.data[0].id|capture("(?<prefix>[a-z]+)_(?<rest>.{4})")',
    '.data[0].created_at|strftime("%Y-%m-%d %H:%M:%S %A, %B %d")',
    '[12345678901234567890123,1.000000000000000000000001,1e1000]',
    '"ñandú, 日本 😀"|length,utf8bytelength,@uri,explode',
    '["\\u0000\\u001f\\u007f","tab\\there"]',
    'def fac: if .<2 then 1 else .*(.-1|fac) end; 10|fac',
    '.data[0].id # and one behind',
    '"-h"',
    '-1',
    'empty',
    '1,halt',
  ])('%s', async (text) => {
    // jq-wasm trims spaces and line breaks at both ends of its output.
    expect((await printed(text)).trim()).toBe(direct.raw(JSON.stringify(LIST), text, ['-rc', '--']).stdout);
  });

  test.each([
    ['"  a  ", "\\n", "", "b\\n\\n"', '  a  \n\n\n\nb\n\n\n'],
    ['"\\u0000", ["\\u0000"]', '\0\n["\\u0000"]\n'],
  ])('spaces and line breaks at its ends are kept: %s', async (text, expected) => {
    expect(await printed(text)).toBe(expected);
  });

  test('numbers keep all their digits', async () => {
    const {stdout} = direct.raw('123456789012345678901234567890', '., [.]', ['-rc', '--']);
    const read = await program('., [.]');
    expect((await read.run('123456789012345678901234567890', true))!.stdout).toBe(stdout);
    expect(stdout).toBe('123456789012345678901234567890\n[123456789012345678901234567890]');
  });
});

describe('prints', () => {
  test('one line per output in a pipe and with -o jsonl, indented at a terminal', async () => {
    const document = {a: {b: 1}};
    expect(await printed('., .a', document)).toBe('{"a":{"b":1}}\n{"b":1}\n');
    expect(await printed('.a, "x"', document, true)).toBe('{\n  "b": 1\n}\nx\n');
    expect(await runJq(await program('.a'), document, true, terminal().io)).toBe('{"b":1}\n');
  });

  test('the output of debug and stderr as notes', async () => {
    const {io, err} = terminal({tty: false});
    expect(await runJq(await program('.a | debug | stderr'), {a: 'x'}, false, io)).toBe('x\n');
    expect(err()).toBe('["DEBUG:","x"]\nx\n');
  });
});

test('a program cannot see the machine', async () => {
  expect(await printed('env, $ENV, env.PATH, $ENV.HOME, (env|length), $ARGS.named')).toBe(
    '{}\n{}\nnull\nnull\n0\n{}\n',
  );
  expect(await printed('[inputs], (try input catch "none")')).toBe('[]\nnone\n');
  for (const text of [
    'import "a" as a; .',
    'include "a"; .',
    'import "package" as $p; $p',
    'import "a" as a {search: "/etc"}; .',
  ])
    await expect(printed(text), text).rejects.toMatchObject({code: 'invalid_jq'});
});

describe('a program is read before it is run', () => {
  test.each([
    'repeat(1)',
    'halt_error',
    'error("x")',
    '"x" | halt_error(1)',
    '[repeat(1)]',
    '"x" | debug',
    '-1',
    'halt',
  ])('and reading does not run it: %s', async (text) => {
    await expect(program(text)).resolves.toHaveProperty('run');
  });

  test.each([
    ['.[', 'syntax error, unexpected end of file, line 1, column 2'],
    ['.a\n| nosuch', 'nosuch/0 is not defined, line 2, column 3'],
    ['$x', '$x is not defined, line 1, column 1'],
    ['', 'Top-level program not given (try ".")'],
    ['import "a" as a; .', 'module not found: a'],
  ])('%j is not valid: %s', async (text, why) => {
    const message = 'the --jq program is not valid.';
    await expect(program(text)).rejects.toMatchObject({kind: 'usage', message, details: {why, applied: 'no'}});
  });
});

describe('a program that fails', () => {
  const why = async (text: string, document: unknown = LIST, reveal = false): Promise<string> => {
    const {io} = terminal({tty: false});
    io.settings.reveal = reveal;
    const error = await runJq(await program(text), document, false, io).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({kind: 'usage', code: 'invalid_jq', details: {applied: undefined}});
    return (error as {details: {why: string}}).details.why;
  };

  test.each([
    ['.data.id', 'jq says: Cannot index array with string ("id")'],
    ['1, 2, error("no")', 'jq says: no. Its earlier output is not printed.'],
    ['1, ("no" | halt_error(3))', 'jq says: no. Its earlier output is not printed.'],
    ['{a: 1} | error', 'jq says: {"a":1}'],
    ['"x" | debug | error("a\\nb")', 'jq says: a\nb'],
    ['error(null)', 'jq says: null'],
  ])('%s: %s', async (text, words) => {
    expect(await why(text)).toBe(words);
  });

  test.each([
    [LIST, '.data[].id'],
    [[{id: 'bstm_1'}], '.[].id'],
    [{id: 'bstm_1'}, '.id'],
  ])('has an example that fits %j', async (document, example) => {
    const {io} = terminal({tty: false});
    const failing = runJq(await program('error("no")'), document, false, io);
    await expect(failing).rejects.toMatchObject({details: {hint: `For example: --jq '${example}'`}});
  });

  test('quotes little of the response, no half words, and no secret that --reveal shows', async () => {
    const long = await why('error("word " * 1000)');
    expect(long.length).toBeLessThan(400);
    expect(long).toMatch(/^jq says: (word )+…$/);
    expect(await why('.secret | keys', {secret: 'Ab3'.repeat(20)}, true)).toBe('It found an unexpected value.');
  });

  test('reports a lack of memory', async () => {
    for (const text of ['[repeat(1)]', 'def f: 1 + f; f']) {
      const read = await (await freshJq()).read(text);
      await expect(runJq(read, LIST, false, terminal().io)).rejects.toMatchObject({
        kind: 'usage',
        code: 'jq_out_of_memory',
      });
    }
  });
});

describe('an endless program', () => {
  test('ends at the time limit', async () => {
    const jq = await freshJq({timeout: 1});
    // On a busy machine the limit may already end the reading of the program.
    const ran = jq.read('repeat(1)').then((program) => program.run('null', true));
    await expect(ran).rejects.toMatchObject({
      kind: 'timed_out',
      code: 'jq_timed_out',
      message: 'the --jq program did not end within 1 s.',
    });
  });

  test('ends with the signal', async () => {
    const controller = new AbortController();
    const read = await (await freshJq({signal: controller.signal})).read('repeat(1)');
    const running = read.run('null', true);
    controller.abort();
    await expect(running).rejects.toMatchObject({kind: 'interrupted'});
  });
});
