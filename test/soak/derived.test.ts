// Every operation from the command line, as a real process on a sandbox of its own: for a pipe, as JSON, as CSV, and with bad input.

import {parse} from 'csv-parse/sync';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {isWrite, pathIds, type Operation, type Shape} from '../../src/api/operation.js';
import {COMPUTED_AMOUNT} from '../../src/cli/presentation/results.js';
import {operations, type RegisteredOperation} from '../../src/api/registry.js';
import {temporaryDirectory, type CliResult} from '../support/cli.js';
import {CALLS} from '../support/scenarios/calls.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {cliInTurn, looksBroken} from '../support/processes.js';

const directory = temporaryDirectory(afterAll);
const run = cliInTurn(directory);

/** Words for each run of each operation: what one run changes, another must not find changed. */
const words = new Map<string, string[][]>();
const RUNS = 3;

beforeAll(async () => {
  const merchant = new Merchant(directory);
  await merchant.payout();
  for (const {id} of operations) {
    const runs: string[][] = [];
    for (let count = 0; count < RUNS; count++) runs.push([...id.split(':'), ...(await CALLS[id]!(merchant))]);
    words.set(id, runs);
  }
  merchant.close();
});

test('there is a call for every operation', () => {
  expect(Object.keys(CALLS).sort()).toEqual(operations.map(({id}) => id).sort());
});

/** The columns of a list: where the API leaves an amount out, what it comes to has a column of its own. */
const listed = ({name, columns}: Shape): readonly string[] => [
  ...columns,
  ...(name === 'checkout_session' ? [COMPUTED_AMOUNT] : name === 'billing_statement' ? MONEY : []),
];
/** What happened to the money of a statement. */
const MONEY = ['state', 'owed', 'refunded', 'settled_reason', 'replaced_by', 'unknown'];
const csvHeader = (names: readonly string[], {name: shape, fields}: Shape): string[] =>
  names.flatMap((name) =>
    [COMPUTED_AMOUNT, 'owed'].includes(name) ||
    (shape === 'billing_statement' && name === 'refunded') ||
    fields[name]?.kind === 'centavos'
      ? [`${name}_centavos`, `${name}_pesos`]
      : [name],
  );

/** What one object is shown by: every field that the contract knows; how a statement was paid. */
const fieldNames = ({returns: {kind, shape}}: Operation): string[] => [
  ...Object.keys(shape.fields),
  ...(kind === 'deleted' ? ['deleted'] : []),
  ...(shape.name === 'billing_statement' ? [...MONEY, 'paid_at', 'method'] : []),
];

function expectRows({stdout}: CliResult, {operation}: RegisteredOperation): void {
  const {kind, shape} = operation.returns;
  const lines = stdout.split('\n');
  expect(lines.pop(), 'it ends with a line break').toBe('');
  const cells = lines.map((line) => line.split('\t'));
  expect(cells.length).toBeGreaterThan(0);
  if (kind === 'list') for (const row of cells) expect(row).toHaveLength(listed(shape).length);
  else expect(cells.map(([name]) => name).sort()).toEqual(fieldNames(operation).sort());
  const [first] = cells;
  expect(kind === 'list' ? first![0] : first![1]).toMatch(new RegExp(`^${shape.prefix}[A-Za-z0-9]+$`));
}

function expectDocument(document: Record<string, any>, {operation}: RegisteredOperation): void {
  const {kind, shape} = operation.returns;
  if (kind === 'list') expect(document).toMatchObject({resource: 'list', has_more: expect.any(Boolean)});
  for (const object of kind === 'list' ? document.data : [document])
    expect(object).toMatchObject({id: expect.stringContaining(shape.prefix), resource: shape.name});
  if (kind === 'deleted') expect(document.deleted).toBe(true);
  if (operation.reaches) expect(document.status).toBe(operation.reaches);
}

function expectTable({stdout}: CliResult, {operation}: RegisteredOperation): void {
  const {kind, shape} = operation.returns;
  expect(stdout).toMatch(/\r\n$/);
  const [header, ...rows] = parse(stdout) as string[][];
  const names = kind === 'list' ? listed(shape) : fieldNames(operation);
  expect([...header!].sort()).toEqual(csvHeader(names, shape).sort());
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row[header!.indexOf('id')]).toContain(shape.prefix);
}

/** What a person is most likely to get wrong: an id that is none, a value left out, a limit of nothing. */
function badInput({operation}: RegisteredOperation): {words: string[]; code: string} {
  const ids = pathIds(operation.path);
  if (ids.length > 0) return {words: ids.map(() => '../webhooks'), code: 'invalid_id'};
  return operation.returns.kind === 'list'
    ? {words: ['--limit', '0'], code: 'invalid_number'}
    : {words: [], code: 'missing_flag'};
}

describe.concurrent.each(operations)('$id', (registered) => {
  const command = registered.id.split(':');
  const isList = registered.operation.returns.kind === 'list';
  const said = isWrite(registered.operation)
    ? /→ sandbox(: .*)?\n/
    : isList
      ? /^(?:More: centavo .* --after \w+\n)?$/
      : /^$/;

  test('in a pipe: rows of cells between tabs, and where it goes, or that there is more, on stderr', async ({
    expect,
  }) => {
    const result = await run(words.get(registered.id)![0]!);
    expect(result).toMatchObject({status: 0, stderr: expect.stringMatching(said)});
    // oxlint-disable-next-line no-control-regex
    expect(result.stdout + result.stderr).not.toMatch(/\u001B/);
    expectRows(result, registered);
  });

  test('--json: the API’s own answer and nothing else', async ({expect}) => {
    const result = await run([...words.get(registered.id)![1]!, '--json']);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expectDocument(result.json(), registered);
  });

  test('-o csv: a header and a record each', async ({expect}) => {
    const result = await run([...words.get(registered.id)![2]!, '-o', 'csv']);
    expect(result).toMatchObject({status: 0, stderr: expect.stringMatching(said)});
    expectTable(result, registered);
  });

  test('bad input: exit 2, one object on stderr, nothing on stdout', async ({expect}) => {
    const {words: bad, code} = badInput(registered);
    const result = await run([...command, ...bad, '--json']);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.error()).toEqual({
      code,
      exit_code: 2,
      message: expect.any(String),
      hint: expect.toSatisfy((hint) => hint === null || typeof hint === 'string'),
      ...{next: expect.any(Array), needs_person: false, ids: [], job: null, candidates: []},
      retryable: false,
      applied: 'no',
      request: null,
      request_id: null,
      api_errors: [],
    });
    expect(looksBroken(result)).toBe(false);
  });
});
