// Active characters never reach a terminal: each one, in every format, on both streams, at a terminal and in a pipe.

import {parse} from 'csv-parse/sync';
import {describe, expect, test} from 'vitest';
import {CentavoError} from '../../src/common/errors.js';
import {oneLineText, toJson} from '../../src/output/format.js';
import {openDrawnAsker} from '../../src/output/prompt/drawn-asker.js';
import {createPrompt} from '../../src/output/prompt/prompt.js';
import {render} from '../../src/output/render.js';
import type {Rendering} from '../../src/output/result.js';
import {printError} from '../../src/cli/dispatch/print-error.js';
import {CONTROLS, HOSTILE, LEGITIMATE} from '../support/output/control-characters.js';
import {program} from '../support/output/built-jq.js';
import {dangers, many, one, PLAIN, terminal} from '../support/output/recorded-terminal.js';

const rowOf = (text: string) => ({id: 'cus_1', status: text, customer: {name: text}, metadata: {[text]: text}});
const ROW = rowOf(HOSTILE);
/** All of it, in texts that are not cut: up to 33 characters, each written as up to 10. */
const PIECES = HOSTILE.match(/.{1,66}/gsu)!;
const STRINGS = await program('.. | strings');
const FORMATS: readonly [string, Rendering][] = [
  ['table', {format: 'table'}],
  ['as it comes', {}],
  ['json', {format: 'json'}],
  ['jsonl', {format: 'jsonl'}],
  ['csv', {format: 'csv'}],
  ['jq', {jq: STRINGS}],
  ['jq, objects', {jq: await program('.')}],
  ['table of a field', {format: 'table', fields: [`metadata.${HOSTILE}`, 'status']}],
  ['csv of a field', {format: 'csv', fields: [`metadata.${HOSTILE}`, 'status']}],
  ['json of a field', {format: 'json', fields: [`metadata.${HOSTILE}`, 'status']}],
];

test('covers every such Unicode character', () => {
  expect(CONTROLS.length).toBeGreaterThan(4200);
  expect(dangers(HOSTILE)).toHaveLength(CONTROLS.length - 1);
});

describe.each([true, false])('at a terminal: %s', (tty) => {
  test.each(FORMATS)('%s', async (_, rendering) => {
    // A table cuts long texts.
    const isTable = rendering.format === 'table' || (tty && rendering.format === undefined && !rendering.jq);
    const rows = isTable && !rendering.fields ? PIECES.map(rowOf) : [ROW];
    let printed = 0;
    for (const result of rows.flatMap((row) => [many([row]), one(row)])) {
      const {io, out, err} = terminal({tty, env: PLAIN, columns: 200});
      await render(result, rendering, io);
      printed += out().length + err().length;
      expect(dangers(err())).toEqual([]);
      // CSV ends its lines with CRLF; jq prints raw text into a pipe, for the next program.
      if (tty || rendering.jq !== STRINGS)
        expect(dangers(out().replaceAll('\r\n', '\n').replaceAll('\t', ''))).toEqual([]);
      else expect(out()).toContain(`${HOSTILE}\n`);
      if (rendering.format === 'json' && !rendering.fields) expect(JSON.parse(out())).toEqual(result.document);
    }
    expect(printed).toBeGreaterThan(2 * CONTROLS.length);
  });

  test('errors, in words and as JSON, and notes', () => {
    const fault = new CentavoError('rejected', HOSTILE, {
      why: HOSTILE,
      hint: HOSTILE,
      request: {method: 'GET', path: HOSTILE},
      apiErrors: [{code: HOSTILE, detail: HOSTILE, parameter: HOSTILE}],
    });
    for (const json of [true, false]) {
      const {io, err} = terminal({tty});
      printError(fault, io, {json, verbose: true});
      expect(dangers(err())).toEqual([]);
      if (json) expect(JSON.parse(err()).error.hint).toBe(HOSTILE);
    }
    const {io, err} = terminal({tty});
    for (const piece of PIECES) io.note(piece);
    expect(dangers(err().replaceAll('\t', ''))).toEqual([]);
    expect(err().length).toBeGreaterThan(CONTROLS.length);
  });
});

test('unformatted output to a terminal', async () => {
  const {io, out} = terminal();
  await io.out(`${io.paint('red', HOSTILE)}\n`);
  expect(dangers(out().replaceAll('\t', ''))).toEqual([]);
  expect(out()).toContain('\u001B[31m');
});

const HOST = {now: () => Date.now(), interrupt: () => {}, atExit: () => () => {}};

test('drawn questions: their texts, choices and notes, and what is pasted', async () => {
  let drawn = '';
  const {io} = terminal();
  const output = {
    write: (text: string) => ((drawn += text), true),
    on: () => {},
    off: () => {},
    columns: 80,
    rows: 400,
  };
  const input = Object.assign(new (await import('node:stream')).PassThrough(), {setRawMode: () => {}});
  const ended = new AbortController();
  const asker = await openDrawnAsker({input, output, signal: ended.signal} as never, {io, host: HOST});
  const asked = {
    ...{ask: HOSTILE, keys: '', note: {tone: 'error' as const, text: HOSTILE}},
    summary: () => ({before: [HOSTILE], rows: [HOSTILE], after: [HOSTILE]}),
  } as const;
  const line = asker.line({...asked, preview: () => HOSTILE});
  input.write(`\u001B[200~${HOSTILE.replace('\u001B', '')}\u001B[201~\r`);
  await line;
  const search = asker.search({...asked, choices: () => [{name: HOSTILE, detail: HOSTILE}], status: () => HOSTILE});
  input.write('\r');
  await search;
  const choice = asker.choose({...asked, choices: [{key: 'x', name: HOSTILE, effect: HOSTILE}], mark: 'x'});
  ended.abort();
  await expect(choice).rejects.toThrow();
  asker.close();
  expect(drawn.length).toBeGreaterThan(10 * CONTROLS.length);
  // oxlint-disable-next-line no-control-regex
  expect(dangers(drawn.replace(/\u001B\[(?:\d*[ABCDGHJKm]|\?(?:25|2004|2026)[hl])|\t/g, ''))).toEqual([]);
});

test('questions, choices, defaults and remarks', async () => {
  const written: string[] = [];
  const {io} = terminal({env: {ACCESSIBLE: '1'}});
  const ended = new AbortController();
  ended.abort();
  const output = {write: (text: string) => written.push(text)};
  const input = Object.assign(new (await import('node:stream')).PassThrough(), {setRawMode: () => {}});
  const prompt = createPrompt(io, {streams: () => ({input, output}), signal: ended.signal, host: HOST});
  await expect(prompt.text(HOSTILE, {initial: HOSTILE})).rejects.toThrow();
  await expect(prompt.select(HOSTILE, [{name: HOSTILE, value: 1}])).rejects.toThrow();
  await expect(prompt.confirm(HOSTILE)).rejects.toThrow();
  expect(written.join('').length).toBeGreaterThan(3 * CONTROLS.length);
  expect(dangers(written.join(''))).toEqual([]);
});

describe('CSV', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', "'=1", '\t=1', '＝1'])(
    'a column named %j is text to a spreadsheet, as a cell is',
    async (name) => {
      const {io, out} = terminal({tty: false});
      await render(one({id: 'cus_1', [name]: name}), {format: 'csv', fields: ['id', name]}, io);
      const [head, cells] = parse(out()) as string[][];
      expect(head![1]).toMatch(/^'/);
      expect(cells![1]).toMatch(/^'/);
    },
  );
});

test('ordinary text survives in tables and JSON', async () => {
  for (const text of LEGITIMATE) {
    expect(oneLineText(text)).toBe(text);
    expect(toJson(text)).toBe(JSON.stringify(text));
    const {io, out} = terminal({env: PLAIN});
    await render(one({id: text}), {}, io);
    expect(out()).toContain(text);
  }
});
