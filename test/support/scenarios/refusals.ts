// Command lines that must be refused, as rows, run against an API that only counts requests.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, test, type ExpectStatic} from 'vitest';
import type {CommandIndex} from '../../../src/cli/catalog/command-index.js';
import {longId} from '../../../src/cli/catalog/short-names.js';
import {findCommand} from '../../../src/cli/dispatch/argv.js';
import {temporaryDirectory} from '../cli.js';
import {command} from '../commands.js';
import {cliInTurn, looksBroken} from '../processes.js';
import {httpAnswer, rawServer, showsKey, TEST_KEY, type RawServer} from '../services/servers.js';

const INDEX: CommandIndex = JSON.parse(readFileSync(new URL('../../../bundle/commands.json', import.meta.url), 'utf8'));

export interface Refusal {
  /** `{dir}` is replaced by the test's folder. */
  readonly argv: readonly string[];
  readonly stdin?: string;
  /** Added to a base URL and a test key; `{dir}` and `{url}` are replaced. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly exit: number;
  /** The text that stderr must have. */
  readonly mention: readonly (RegExp | string)[];
  /** The text that must not be printed. */
  readonly secret?: string;
}

/** A row with exit 2. */
export const usage = (argv: readonly string[], ...mention: (RegExp | string)[]): Refusal => ({argv, exit: 2, mention});

/** Files that rows may name, in `{dir}`. */
const FILES: Readonly<Record<string, string>> = {'broken.json': '{"name": ', 'list.json': '[1, 2]', 'a-file': ''};

/** Defines a test for each row: refused with its status and words, at once and with nothing sent. The first row has a process of its own. */
export function refuses(rows: readonly Refusal[]): void {
  const directory = temporaryDirectory(afterAll);
  const run = cliInTurn(directory);
  let server: RawServer;
  const fill = (text: string) => text.replaceAll('{dir}', directory).replaceAll('{url}', server.url);

  beforeAll(async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text);
    server = await rawServer(() => httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[]}'));
  });
  afterAll(() => server.close());

  const titled = rows.map((row, index) => [titleOf(row), row, index === 0] as const);
  test.concurrent.for(titled)('%s', async ([, {argv, stdin, env = {}, exit, mention, secret}, alone], {expect}) => {
    const variables = {CENTAVO_BASE_URL: '{url}', CENTAVO_SECRET_KEY: TEST_KEY, ...env};
    const words = argv.map(fill);
    const options = {
      input: stdin,
      env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value && fill(value)])),
    };
    const result = await (alone ? run(words, options) : command(directory, words, options));
    expect(result.status, result.stderr).toBe(exit);
    expect(result.stdout).toBe('');
    if (argv.includes('--json') || argv.includes('--jq'))
      expect(result.error()).toMatchObject({exit_code: exit, applied: 'no'});
    else
      expectWords(
        result.stderr,
        exit !== 2 || !onlyReads(argv) || result.stderr.includes('contains a test secret key'),
        expect,
      );
    for (const named of mention) expect(result.stderr).toMatch(named);
    if (secret !== undefined) expect(result.stderr).not.toContain(secret);
    expect(showsKey(result.stderr)).toBe(false);
    // oxlint-disable-next-line no-control-regex
    expect(result.stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/);
    expect(looksBroken(result), result.stderr).toBe(false);
  });

  test('none of these reached the API', ({expect}) => {
    expect(server.connections()).toBe(0);
    expect(server.requests).toEqual([]);
  });
}

/** True for a command that never changes anything. */
function onlyReads(argv: readonly string[]): boolean {
  const {typed} = findCommand(argv, INDEX.commands);
  const reads = typed !== undefined && INDEX.commands[longId(typed)]!.risk === 'reads';
  return reads || argv.includes('--dry-run') || (typed === 'api' && argv[1] === 'GET');
}

/** The last lines, up to three, after echoed dates. @param says true if one must say that nothing was done, false if none may */
function expectWords(stderr: string, says: boolean, expect: ExpectStatic): void {
  const lines = stderr.trimEnd().split('\n');
  const error = lines.slice(lines.findIndex((line) => line.startsWith('Error: ')));
  expect(error[0]).toMatch(/^Error: /);
  expect(error.length, stderr).toBeLessThanOrEqual(3);
  expect(/ Nothing was (sent|changed)\./.test(error.join('\n')), stderr).toBe(says);
}

function titleOf({argv, stdin, env, exit}: Refusal): string {
  const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value ?? ''}`);
  const words = [...variables, 'centavo', ...argv].map((word) => JSON.stringify(word).slice(1, -1));
  const line = words.map((word) => (word.length > 40 ? `${word.slice(0, 40)}…` : word)).join(' ');
  return `${line}${stdin === undefined ? '' : ' < stdin'} → ${exit}`.replaceAll('%', '%%').replaceAll('$', '$ ');
}
