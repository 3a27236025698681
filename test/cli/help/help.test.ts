// Help and the version: on stdout with exit 0, with examples for every command.

import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import {resources} from '../../../src/api/registry.js';
import {findHelp, HELP_WIDTHS} from '../../../src/cli/help/help.js';
import {SHORT_NAMES} from '../../../src/cli/catalog/short-names.js';
import {loadCommands} from '../../../src/command-table.js';
import {EXIT_MEANINGS} from '../../../src/commands/help.js';
import {EXIT_CODES} from '../../../src/common/errors.js';
import {commandsIn} from '../../support/commands.js';
import {cli, temporaryDirectory} from '../../support/cli.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMANDS = await loadCommands();
const run = commandsIn(temporaryDirectory(afterAll));
const {version} = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {version: string};

describe('the version', () => {
  test.for([['--version'], ['-V'], ['version']])('%s', async ([word]) => {
    const result = await cli(temporaryDirectory())([word!]);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toMatch(new RegExp(`^centavo/${version.replaceAll('.', '\\.')} .+ node-v\\d+.*\\n$`));
  });
});

describe('help', () => {
  test.for([['-h'], ['--help'], ['help']])('%j shows the topics', async (words) => {
    const result = await run(words);
    expect(result).toMatchObject({status: 0, stderr: ''});
    for (const {topic} of resources) expect(result.stdout).toContain(topic);
    expect(result.stdout).toContain('sandbox');
  });

  test('the first screen fits 24 rows and names the full help', async () => {
    const result = await run([]);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    expect(result.stdout).toMatch(/^All topics and commands: centavo help$/m);
  });

  test('the first screen names only existing commands', async () => {
    const {stdout} = await run([]);
    const named = [...stdout.matchAll(/^ {2}centavo (.*?)(?: [<[]\w+[>\]]| --json)? {2,}/gm)].map(([, words]) =>
      words!.replaceAll(' ', ':'),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const id of named) expect([...Object.keys(COMMANDS), ...Object.keys(SHORT_NAMES)]).toContain(id);
  });

  test('all ways to a page print the same page', async () => {
    const [long, short, verb] = await Promise.all([
      run(['customers', 'create', '--help']),
      run(['customers', 'create', '-h']),
      run(['help', 'customers', 'create']),
    ]);
    expect(long).toMatchObject({status: 0, stderr: ''});
    expect(short.stdout).toBe(long.stdout);
    expect(verb.stdout).toBe(long.stdout);
  });

  test.for([[['customers']], [['customers', '--help']], [['help', 'customers']]])(
    '%j shows the commands of the topic',
    async ([words]) => {
      const result = await run(words!);
      expect(result).toMatchObject({status: 0, stderr: ''});
      for (const verb of ['create', 'get', 'list', 'update', 'delete']) expect(result.stdout).toContain(verb);
    },
  );

  test('every topic has a page', async () => {
    const before = Object.keys(COMMANDS).flatMap((id) => {
      const words = id.split(':');
      return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
    });
    const text = readFileSync(`${ROOT}/bundle/help-80.txt`, 'utf8');
    for (const words of new Set(before)) expect(text).toMatch(new RegExp(`\\f\\w+:${words}\\n`));
  });

  test('fits narrow terminals, and has bold headings with colour', async () => {
    const words = ['customers', 'create', '--help'];
    const bold = '\u001B[1mUSAGE\u001B[22m';
    const [plain, coloured, refused] = await Promise.all([
      run(words),
      run(words, {env: {FORCE_COLOR: '1'}}),
      run([...words, '--no-color'], {env: {FORCE_COLOR: '1'}}),
    ]);
    expect(plain.stdout).not.toContain('\u001B');
    expect(coloured.stdout).toContain(bold);
    expect(refused.stdout).toBe(plain.stdout);
    const narrow = findHelp(words, {root: ROOT, columns: 72, env: {}, isTerminal: true});
    expect(narrow).toContain(bold);
    expect(narrow).toContain('name "Juan Dela Cruz" \\\n');
  });

  test.each(HELP_WIDTHS)('breaks no word at %i columns; each example can be pasted', (width) => {
    const text = readFileSync(`${ROOT}/bundle/help-${width}.txt`, 'utf8');
    for (const line of text.split('\n').filter((each) => !each.startsWith('\f')))
      expect([...line].length, line).toBeLessThanOrEqual(width);
    const joined = text.replace(/ \\\n +/g, ' ');
    for (const {examples = []} of Object.values(COMMANDS))
      for (const each of examples)
        expect(joined).toContain(`  $ ${String(each).replaceAll('<%= config.bin %>', 'centavo')}\n`);
  });

  test('has the same text on every page at 60, 80 and 100 columns, without broken words or early line breaks', () => {
    const text = readFileSync(`${ROOT}/bundle/help-80.txt`, 'utf8');
    const all = [...text.matchAll(/\f\w+:(.*)\n/g)].map(([, words]) => words!.split(' ').filter(Boolean));
    expect(all.length).toBeGreaterThan(130);
    for (const words of all) {
      const asked = words[0] === '(first)' ? [] : ['help', ...words];
      const pages = [60, 80, 100].map((columns) => findHelp(asked, {root: ROOT, columns, env: {}, isTerminal: false})!);
      const [narrow, ...wider] = pages.map((page) => page.replaceAll(/ \\\n/g, ' ').split(/\s+/));
      for (const each of wider) expect(narrow, words.join(' ')).toEqual(each);
      for (const line of pages[0]!.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60);
      for (const page of pages) expect(page).not.toMatch(/^ *[.,;:)]+( |$)/m);
    }
  });

  test('gives flag texts more than half of a narrow terminal', () => {
    const page = findHelp(['bill', '--help'], {root: ROOT, columns: 60, env: {}, isTerminal: false});
    expect(page).toContain('\n  --customer <cus_…>    Customer to bill: email address,\n');
    expect(page).toContain('\n      --item "Web design x2 @ 15,000" --due +30d \\\n');
  });

  test('works without a key, a profile or a usable data folder', async () => {
    const env = {CENTAVO_SECRET_KEY: 'nonsense', CENTAVO_PROFILE: 'shop', CENTAVO_DATA_DIR: 'relative'};
    for (const words of [['--help'], ['billing-statements', 'void', '--help'], ['help', 'exit-codes']])
      expect(await cli(temporaryDirectory(), {env})(words)).toMatchObject({status: 0, stderr: ''});
  });

  test('exit-codes lists every exit code', async () => {
    const result = await run(['help', 'exit-codes', '--json']);
    expect(result.rows()).toEqual(
      Object.entries(EXIT_CODES).map(([name, {exit}]) => ({code: exit, name, meaning: EXIT_MEANINGS[name as 'ok']})),
    );
  });
});

describe('the page of every command', () => {
  /** The pages of commands, as they were laid out for this width. */
  const pages = (width: number): Map<string, string> =>
    new Map(
      [...readFileSync(`${ROOT}/bundle/help-${width}.txt`, 'utf8').matchAll(/\fcommand:(.*)\n([^\f]*)/g)].map(
        ([, words, page]) => [words!.replaceAll(' ', ':'), page!],
      ),
    );

  test.each(HELP_WIDTHS)('has a summary, usage and valid examples, at %i columns', (width) => {
    const found = pages(width);
    expect([...found.keys()].sort()).toEqual([...Object.keys(COMMANDS), ...Object.keys(SHORT_NAMES)].sort());
    for (const [id, page] of found) {
      const summary = COMMANDS[SHORT_NAMES[id] ?? id]!.summary!;
      expect(page, id).toContain(summary.split(' ').slice(0, 3).join(' '));
      expect(page, id).toMatch(/^USAGE$/m);
      // The global flags are below.
      expect(page.split(/^[A-Z]+$/m)[1], id).not.toMatch(/--json|--no-input/);
      expect(page, id).toMatch(/^EXAMPLES$/m);
      expect(page, id).toContain(`centavo ${id.replaceAll(':', ' ')}`);
      expect(page, id).not.toMatch(/<%|undefined|\[object/);
    }
  });

  const sampled = Object.keys(COMMANDS).filter((id, index) => index % 7 === 0 && id !== 'help');
  test.concurrent.for(sampled)('%s --help is exit 0', async (id, {expect}) => {
    const result = await run([...id.split(':'), '--help']);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toMatch(/^EXAMPLES$/m);
  });
});
