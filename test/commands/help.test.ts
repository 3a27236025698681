// Help and the version: what is asked for is shown on stdout with exit 0, and every command explains itself by example.

import {Config, loadHelpClass} from '@oclif/core';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import {resources} from '../../src/api/registry.js';
import {COMMANDS} from '../../src/commands/index.js';
import {EXIT_CODES} from '../../src/errors.js';
import {cli, temporaryDirectory} from '../helpers/cli.js';
import {cliInTurn} from './support/processes.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = cliInTurn(temporaryDirectory(afterAll));
const {version} = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {version: string};

describe('the version', () => {
  test.for([['--version'], ['-V'], ['version']])('%s', async ([word]) => {
    const result = await run([word!]);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toMatch(new RegExp(`^centavo/${version.replaceAll('.', '\\.')} .+ node-v\\d+.*\\n$`));
  });
});

describe('help', () => {
  test.for([['-h'], ['--help'], ['help'], []])('%j shows the topics', async (words) => {
    const result = await run(words);
    expect(result).toMatchObject({status: 0, stderr: ''});
    for (const {topic} of resources) expect(result.stdout).toContain(topic);
    expect(result.stdout).toContain('sandbox');
  });

  test('the ways to the same page give the same page', async () => {
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

  test('is shown without a key, a profile or a usable data folder', async () => {
    const env = {CENTAVO_SECRET_KEY: 'nonsense', CENTAVO_PROFILE: 'shop', CENTAVO_DATA_DIR: 'relative'};
    for (const words of [['--help'], ['billing-statements', 'void', '--help'], ['help', 'exit-codes']])
      expect(await cli(temporaryDirectory(), {env})(words)).toMatchObject({status: 0, stderr: ''});
  });

  test('exit-codes lists every one there is', async () => {
    const result = await run(['help', 'exit-codes', '--json']);
    expect(result.json()).toEqual(
      Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => ({code: exit, name, meaning})),
    );
  });

  test('commands --json has the whole tree', async () => {
    const tree = (await run(['commands', '--json'])).json<{id: string; examples: string[]}[]>();
    expect(tree.map(({id}) => id.replaceAll(' ', ':')).sort()).toEqual(Object.keys(COMMANDS).sort());
    for (const {examples} of tree) expect(examples.join()).not.toContain('<%');
  });
});

describe('the page of every command', () => {
  /** The page as it is printed, made in this process. */
  async function pages(): Promise<Map<string, string>> {
    const config = await Config.load({root: ROOT});
    const Help = await loadHelpClass(config);
    const found = new Map<string, string>();
    for (const command of config.commands) {
      const lines: string[] = [];
      const help = new Help(config, {...config.pjson.oclif.helpOptions, stripAnsi: true}) as unknown as {
        log: (line: string) => void;
        showCommandHelp: (command: unknown) => Promise<void>;
      };
      help.log = (line) => lines.push(line);
      // oclif writes the ids anew, with spaces, into the commands that it shows.
      const id = command.id.replaceAll(' ', ':');
      await help.showCommandHelp(command);
      found.set(id, lines.join('\n'));
    }
    return found;
  }

  test('has a summary, its usage and examples that can be typed', async () => {
    const found = await pages();
    expect([...found.keys()].sort()).toEqual(Object.keys(COMMANDS).sort());
    for (const [id, page] of found) {
      expect(page, id).toContain(COMMANDS[id]!.summary!.split(' ').slice(0, 3).join(' '));
      expect(page, id).toMatch(/^USAGE$/m);
      // The flags that all commands have stand below.
      expect(page.split(/^[A-Z]+$/m)[1], id).not.toMatch(/--json|--no-input/);
      expect(page, id).toMatch(/^EXAMPLES$/m);
      expect(page, id).toContain(`centavo ${id.replaceAll(':', ' ')}`);
      expect(page, id).not.toMatch(/<%|undefined|\[object/);
      // Examples stay on one line, to be copied; so do the choices of a flag.
      for (const line of page.split('\n').filter((text) => !/^ {2}(\$ |--[a-z-]+ <\S*>$)/.test(text)))
        expect([...line].length, `${id}: ${line}`).toBeLessThanOrEqual(120);
    }
  });

  const sampled = Object.keys(COMMANDS).filter((id, index) => index % 7 === 0 && id !== 'help');
  test.concurrent.for(sampled)('%s --help is exit 0', async (id, {expect}) => {
    const result = await run([...id.split(':'), '--help']);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toMatch(/^EXAMPLES$/m);
  });
});
