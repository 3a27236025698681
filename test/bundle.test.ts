// Compares the bundle's changes to its packages (tools/bundle.mjs) with the original packages. Fails when oclif changes.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {commandsIn} from './support/commands.js';
import {cli, temporaryDirectory} from './support/cli.js';

const ROOT = join(import.meta.dirname, '..');
const OCLIF = join(ROOT, 'node_modules/@oclif/core/lib');

test('every module of oclif requires others in the form that the bundler can defer', () => {
  const others = readdirSync(OCLIF, {recursive: true, encoding: 'utf8'})
    .filter((path) => path.endsWith('.js'))
    .flatMap((path) =>
      readFileSync(join(OCLIF, path), 'utf8')
        .split('\n')
        .filter((line) => /^\S.*\brequire\(/.test(line))
        .filter((line) => !/^(?:const|var) \w+ = (?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?;$/.test(line))
        .map((line) => `${path}: ${line}`),
    );
  // The whole exports of an index, a check of Node's version, and three modules that are never loaded.
  expect(others.filter((line) => !/exports\.\w+ = (?:__importStar\()?require|^index\.js/.test(line)).sort()).toEqual([
    "module-loader.js: const getPackageType = require('get-package-type');",
    "ux/action/spinner.js: const ansiEscapes = require('ansi-escapes');",
    "ux/list.js: const wordwrap = require('wordwrap');",
  ]);
});

describe('command lines parsed by oclif alone', () => {
  const directory = temporaryDirectory(afterAll);
  const bundled = cli(directory);
  const unbundled = commandsIn(directory);
  test.each([
    [['customers', 'list', '--limit', '2', '--limit', '3']],
    [['customers', 'list', '--limit']],
    [['customers', 'list', '--limit=1', '--no-such-flag']],
    [['customers', 'list', '-o', 'xml']],
    [['customers', 'list', '-ojson', '--limit=1']],
    [['customers', 'list', '--json', '-o', 'csv']],
    [['customers', 'list', '-qv']],
    [['customers', 'list', '-qyo', 'json']],
    [['customers', 'list', '--', '--limit']],
    [['customers', 'list', 'extra', 'words']],
    [['customers', 'get']],
    [['customers', 'get', '--', '-']],
    [['customers', 'create', '--name', '', '--email', 'a@example.com', '--dry-run']],
    [
      [
        ...'customers create --name=A --email a@example.com --metadata a=1 --metadata b=2 --dry-run'.split(' '),
        '-ocurl',
      ],
    ],
    [['billing-statements', 'create', '--item', 'A', '--finalise']],
    [['--json', 'customers', 'list']],
    [['customers:list', '--json', '--limit', '1']],
    [['custmers', 'list']],
    [['sandbox', 'events', 'nonsense']],
    [['status', '--json=yes']],
    [['--no-such-flag']],
    [['help', 'nonsense']],
    [['help', 'sandbox', 'events', 'list']],
    [['sandbox', '-h']],
  ])('%j', async (words) => {
    const [{json: _a, error: _b, rows: _c, ...one}, {json: _d, error: _e, rows: _f, ...other}] = await Promise.all([
      bundled(words),
      unbundled(words),
    ]);
    expect(one).toEqual(other);
  });
});
