// One result in every format: table, tabs, JSON, JSON lines, CSV, fields, jq; harmless on a terminal.

import {parse} from 'csv-parse/sync';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {render} from '../../src/output/render.js';
import type {ResultColumn} from '../../src/output/result.js';
import {guardFormula} from '../../src/output/csv-text.js';
import {program} from '../support/output/built-jq.js';
import {
  COLUMNS,
  dangers,
  linesOf,
  many,
  one,
  PLAIN,
  shown,
  terminal,
  type Row,
} from '../support/output/recorded-terminal.js';
import {cpuTimeSince, growthBetween, LINEAR} from '../support/far-limits.js';
import {runs} from '../support/test-size.js';

const SEED = 20261225;

const ROWS: Row[] = [
  {
    id: 'bstm_1',
    customer: {id: 'cus_1', name: 'Juan'},
    status: 'open',
    amount: 125_050,
    due_at: 1_797_350_399,
    extra: 1,
  },
  {id: 'bstm_2', customer: 'cus_2', status: 'draft', amount: 0, due_at: 0, metadata: {a: 'b'}},
];
const PIPE = {tty: false};

describe('in a pipe', () => {
  test('rows are separated by tabs: no names, no colour, nothing cut', async () => {
    const long = {...ROWS[0], customer: {name: 'x'.repeat(500)}};
    expect(await shown(many([...ROWS, long]), {}, PIPE)).toBe(
      [
        'bstm_1\tJuan\topen\t₱1,250.50\t2026-12-15 23:59',
        'bstm_2\tcus_2\tdraft\t₱0.00\t',
        `bstm_1\t${'x'.repeat(500)}\topen\t₱1,250.50\t2026-12-15 23:59`,
        '',
      ].join('\n'),
    );
  });

  test('a text with tabs and line breaks stays in its cell', async () => {
    const text = await shown(many([{...ROWS[0], customer: {name: 'a\tb\nc\r\nd'}}]), {}, PIPE);
    expect(linesOf(text)).toHaveLength(1);
    expect(linesOf(text)[0]!.split('\t')).toHaveLength(COLUMNS.length);
  });

  test('one object is a name and a value a line', async () => {
    const text = await shown(one(ROWS[0]!), {}, PIPE);
    expect(linesOf(text)[0]).toBe('id\tbstm_1');
    expect(linesOf(text).every((line) => line.split('\t').length === 2)).toBe(true);
  });

  test('an empty list prints no bytes, and a note at a terminal', async () => {
    expect(await shown(many([]), {}, PIPE)).toBe('');
    const {io, out, err} = terminal();
    await render(many([]), {}, io);
    expect([out(), err()]).toEqual(['', 'No statements found.\n']);
  });
});

describe('JSON', () => {
  test("is the API's response, including unknown fields", async () => {
    expect(JSON.parse(await shown(many(ROWS), {format: 'json'}))).toEqual(many(ROWS).document);
    expect(JSON.parse(await shown(one(ROWS[0]!), {format: 'json'}))).toEqual(ROWS[0]);
  });

  test('lines are one object each', async () => {
    const lines = linesOf(await shown(many(ROWS), {format: 'jsonl'}));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(ROWS);
  });

  test.each(['json', 'jsonl', 'csv'] as const)(
    'as %s takes time that grows with the objects, secrets and all',
    async (format) => {
      const timed = async (count: number): Promise<number> => {
        const rows = Array.from({length: count}, (_, index) => ({
          ...ROWS[index % 2],
          id: `bstm_${index}`,
          client_secret: `pi_${index}_secret_0123456789abcdef`,
          metadata: {note: `basic plan, pi_${index}_secret_0123456789abcdef`},
        }));
        const began = process.cpuUsage();
        expect(await shown(many(rows), {format})).not.toContain('_0123456789abcdef');
        return cpuTimeSince(began);
      };
      expect(await growthBetween(timed, 1000, 10_000)).toBeLessThan(LINEAR);
    },
  );

  test(`lines are as many as the objects, whatever is in them (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string({unit: 'binary'}), fc.jsonValue()), {maxLength: 5}),
        async (rows) => {
          const lines = linesOf(await shown(many(rows), {format: 'jsonl'}));
          expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(rows)));
        },
      ),
      {seed: SEED, numRuns: runs(500)},
    );
  });
});

describe('--fields', () => {
  test('selects columns in the given order, also by path', async () => {
    expect(await shown(many(ROWS), {fields: ['amount', 'id', 'customer.name']}, PIPE)).toBe(
      '₱1,250.50\tbstm_1\tJuan\n₱0.00\tbstm_2\t\n',
    );
  });

  test('selects the same from JSON, JSON lines and CSV', async () => {
    const fields = ['id', 'metadata'];
    expect(JSON.parse(await shown(many(ROWS), {format: 'json', fields}))).toMatchObject({
      data: [
        {id: 'bstm_1', metadata: null},
        {id: 'bstm_2', metadata: {a: 'b'}},
      ],
    });
    expect(linesOf(await shown(many(ROWS), {format: 'jsonl', fields}))[0]).toBe('{"id":"bstm_1","metadata":null}');
    expect(linesOf(await shown(many(ROWS), {format: 'csv', fields}))[0]).toBe('id,metadata\r');
    expect(JSON.parse(await shown(one(ROWS[0]!), {format: 'json', fields: ['extra']}))).toEqual({extra: 1});
  });

  test.each([undefined, 'table', 'json', 'jsonl', 'csv'] as const)(
    'an unknown field is empty as %s, with a warning',
    async (format) => {
      const {io, out, err} = terminal(PIPE);
      await render(many(ROWS), {format, fields: ['id', 'amuont', 'qqqqqq']}, io);
      expect(err()).toMatch(
        /^Warning: no field "amuont", so it is empty\. Did you mean amount\?\nWarning: .*"qqqqqq".* Fields: id, /,
      );
      if (format === 'json') expect(JSON.parse(out()).data[1]).toEqual({id: 'bstm_2', amuont: null, qqqqqq: null});
      else expect(out()).toContain('bstm_2');
    },
  );

  test('accepts a column header as a field name in every format', async () => {
    const columns: ResultColumn[] = [{path: 'billing_statement_number', header: 'number', kind: 'text'}, ...COLUMNS];
    const rows = ROWS.map((row, index) => ({...row, billing_statement_number: `JEEPNEY-000${index}`}));
    const result = {
      ...many(rows, columns),
      atTerminal: [{path: 'net_amount', header: 'net', kind: 'centavos'} as const],
    };
    expect(await shown(result, {fields: ['number', 'DUE']}, PIPE)).toBe(
      'JEEPNEY-0000\t2026-12-15 23:59\nJEEPNEY-0001\t\n',
    );
    expect(
      JSON.parse(await shown(result, {fields: ['number', 'net'], format: 'jsonl'}).then((text) => linesOf(text)[0]!)),
    ).toEqual({
      billing_statement_number: 'JEEPNEY-0000',
      net_amount: null,
    });
    const {io, err} = terminal(PIPE);
    await render(result, {fields: ['nummer', 'qqqqqq']}, io);
    expect(err()).toMatch(/Did you mean number\?\n.*billing_statement_number, id, /);
    const ofTable = terminal(PIPE);
    await render(result, {fields: ['nett']}, ofTable.io);
    expect(ofTable.err()).toContain('Did you mean net?');
    const own = rows.map((row) => ({...row, number: 7}));
    expect(await shown({...result, rows: own}, {fields: ['number']}, PIPE)).toBe('7\n7\n');
  });

  test('already is a field of every change, also of one that is not repeated', async () => {
    const {io, out, err} = terminal(PIPE);
    await render(one(ROWS[0]!), {format: 'json', fields: ['already'], changes: true}, io);
    expect(JSON.parse(out())).toEqual({already: null});
    expect(err()).toBe('');
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is no field of any object', async (field) => {
    expect(JSON.parse(await shown(many(ROWS), {fields: [field], format: 'json'})).data[0][field] ?? null).toBeNull();
  });

  test.each(['customer.nosuch', 'customer.constructor', 'metadata.order.id'])(
    '%s may be in other objects, so it is null here',
    async (field) => {
      const fields = [field];
      expect(JSON.parse(await shown(many(ROWS), {fields, format: 'json'})).data[0]).toEqual({[field]: null});
    },
  );

  test('a key with dots in its name is found', async () => {
    const rows = ROWS.map((row) => ({...row, metadata: {'order.id': 7}}));
    const out = await shown(many(rows), {fields: ['metadata.order.id'], format: 'json'});
    expect(JSON.parse(out).data[0]).toEqual({'metadata.order.id': 7});
  });
});

describe('--jq', () => {
  const jq = async (text: string, format?: 'jsonl') => shown(many(ROWS), {jq: await program(text), format}, PIPE);

  test('prints each output on its own lines, strings without quotes', async () => {
    expect(await jq('.data[].id')).toBe('bstm_1\nbstm_2\n');
    expect(await jq('.data[].amount')).toBe('125050\n0\n');
    expect(await jq('.data | map(.amount) | add')).toBe('125050\n');
    expect(await jq('.data[0].customer', 'jsonl')).toBe('{"id":"cus_1","name":"Juan"}\n');
    expect(await jq('empty')).toBe('');
    expect(await jq('.nothing')).toBe('null\n');
  });

  test.each(['.data[', '}{', 'nosuchfunction', '.data | .id', '1 / 0', 'error("no")', '"a" + 1'])(
    'the program %j is an error with words, not a bug',
    async (text) => {
      await expect(jq(text)).rejects.toMatchObject({name: 'CentavoError', kind: 'usage', code: 'invalid_jq'});
    },
  );
});

describe('CSV', () => {
  const records = async (rows: Row[], fields?: string[]) =>
    parse(await shown(many(rows), {format: 'csv', fields}, PIPE), {columns: true}) as Record<string, string>[];

  test('has centavos, pesos, and times with a zone', async () => {
    expect(await shown(many(ROWS), {format: 'csv'}, PIPE)).toBe(
      [
        'id,customer,status,amount_centavos,amount_pesos,due_at',
        'bstm_1,Juan,open,125050,1250.50,2026-12-15T23:59:59+08:00',
        'bstm_2,cus_2,draft,0,0.00,',
        '',
      ].join('\r\n'),
    );
  });

  test('is the same at a terminal and in a pipe, with a header even without rows', async () => {
    expect(await shown(many(ROWS), {format: 'csv'}, {})).toBe(await shown(many(ROWS), {format: 'csv'}, PIPE));
    expect(await shown(many([]), {format: 'csv'}, PIPE)).toBe(
      'id,customer,status,amount_centavos,amount_pesos,due_at\r\n',
    );
  });

  test(`reads back cell for cell, and no text begins a formula (seed ${SEED})`, async () => {
    const texts = fc.oneof(
      fc.string({unit: 'grapheme', maxLength: 20}),
      fc.string({unit: 'binary', maxLength: 20}),
      fc.stringMatching(/^[ "';,]{0,3}[=+\-@＝＋－＠\t]?[A-Z0-9("',;\n]{0,8}$/),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(texts, {minLength: 1, maxLength: 4}), async (names) => {
        const all = await records(names.map((name) => ({...ROWS[0], customer: {name}, amount: -2000})));
        expect(all).toHaveLength(names.length);
        for (const record of all) {
          expect(Object.keys(record)).toHaveLength(COLUMNS.length + 1);
          expect(record.customer).not.toMatch(/^[\t\r\n ]*[=+\-@＝＋－＠]/);
          // Numbers stay numbers, negative ones too.
          expect([record.amount_centavos, record.amount_pesos]).toEqual(['-2000', '-20.00']);
        }
      }),
      {seed: SEED, numRuns: runs(1000)},
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '"=1', "'=1", ';=1', ',=1', '＝1', '＋1', '－1', '＠x'])(
    '%j is guarded',
    (cell) => {
      expect(guardFormula(cell)).toBe(`'${cell}`);
    },
  );

  test.each(['a=1', '1+1', 'Juan', '', '09171234567', '(1)', 'bstm_1'])('%j needs no guard', (cell) => {
    expect(guardFormula(cell)).toBe(cell);
  });

  test('does not convert an amount that is not whole centavos', async () => {
    expect(await records([{...ROWS[0], amount: 1.5}])).toMatchObject([{amount_centavos: '1.5', amount_pesos: '1.5'}]);
  });
});

describe(`any JSON (seed ${SEED})`, () => {
  const acting = fc.constantFrom(
    '\u001b]52;c;ZXZpbA==\u0007',
    '\u009b2J',
    'a\rb',
    '\u202Eabc',
    '\u0000',
    '\u2028',
    '\u{13430}',
  );
  const text = fc.oneof(fc.string({unit: 'binary', maxLength: 12}), acting);
  const value = fc.oneof(
    text,
    fc.constantFrom(null, true, 0, -1, 1.5, 1e300, 1_797_350_399),
    fc.array(text, {maxLength: 2}),
    fc.dictionary(text, text, {maxKeys: 2}),
    fc.record({name: text, id: text}),
  );
  const row = fc
    .record({id: value, customer: value, status: value, amount: value, due_at: value})
    .map((all) => all as Row);

  test(`shows nothing on a terminal that acts on it: ${runs(20_000)} texts`, async () => {
    let texts = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, {minLength: 25, maxLength: 25}), async (rows) => {
        texts += rows.length * COLUMNS.length;
        for (const [result, options] of [
          [many(rows), {columns: 200}],
          [many(rows.slice(0, 3)), {columns: 40}],
          [one(rows[0]!), {}],
          [many(rows), PIPE],
        ] as const) {
          const found = dangers(await shown(result, {}, {...options, env: PLAIN}));
          expect(found.filter((character) => options !== PIPE || character !== '\t')).toEqual([]);
        }
      }),
      // Counterexamples are not shrunk: shrinking takes longer than the suite.
      {seed: SEED, numRuns: runs(165), endOnFailure: true},
    );
    expect(texts).toBeGreaterThan(runs(20_000));
  });

  test('nor do the names and values of the objects inside one', async () => {
    const inner = fc.dictionary(fc.string({unit: 'binary', maxLength: 8}), value, {
      minKeys: 1,
      maxKeys: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(inner, {minLength: 1, maxLength: 3}), async (items) => {
        const columns = [...COLUMNS, {path: 'line_items', header: 'line items', kind: 'object' as const}];
        const text = await shown(one({id: 'bstm_1', line_items: items}, columns), {}, {env: PLAIN});
        expect(dangers(text)).toEqual([]);
      }),
      {seed: SEED, numRuns: runs(500)},
    );
  });

  test.each(['.data[].customer.name', '.data[0]', '.'])('nor does what --jq %s makes of it', async (jq) => {
    const rows = [{...ROWS[0], customer: {name: 'a\u001b[2Jb\u009b\u202Ec'}}];
    expect(dangers(await shown(many(rows), {jq: await program(jq)}, {env: PLAIN}))).toEqual([]);
  });

  test('nor does --json', async () => {
    const rows = [{...ROWS[0], customer: {name: 'a\u001b[2Jb\u009b\u202Ec'}}];
    expect(dangers(await shown(many(rows), {format: 'json'}, {env: PLAIN}))).toEqual([]);
  });
});
