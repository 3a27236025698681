// Runs the lines of docs/app.md that point each official SDK at a served sandbox, for the installed SDKs.

import {spawn, spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {foreign, type Foreign} from '../support/payrex.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/app.md', import.meta.url), 'utf8');
const SECTION = /^## With an SDK$(.*?)^## /ms.exec(PAGE)![1]!;

interface Language {
  readonly fence: string;
  readonly program: string;
  readonly reading: readonly string[];
  /** Succeeds if the SDK is installed. */
  readonly probe: readonly string[];
  readonly before?: string;
  /** Creates a customer and prints its id. */
  readonly then: string;
}

const LANGUAGES: readonly Language[] = [
  {
    fence: 'js',
    program: process.execPath,
    reading: ['-'],
    probe: ['-e', "require('payrex-node')"],
    then: "payrex.customers.create({name: 'Ana', email: 'ana@example.com', currency: 'PHP'}).then(({id}) => console.log(id));",
  },
  {
    fence: 'php',
    program: 'php',
    reading: [],
    probe: ['-r', "require 'vendor/autoload.php'; exit(class_exists('Payrex\\PayrexClient') ? 0 : 1);"],
    before: '<?php',
    then: "echo $payrex->customers->create(['name' => 'Ana', 'email' => 'ana@example.com', 'currency' => 'PHP'])->id;",
  },
  {
    fence: 'python',
    program: 'python3',
    reading: ['-'],
    probe: ['-c', 'from payrex import Client'],
    then: "print(payrex.customers.create({'name': 'Ana', 'email': 'ana@example.com', 'currency': 'PHP'}).id)",
  },
  {
    fence: 'ruby',
    program: 'ruby',
    reading: ['-'],
    probe: ['-e', "require 'payrex-ruby'"],
    then: "puts payrex.customers.create(name: 'Ana', email: 'ana@example.com', currency: 'PHP').id",
  },
];

const linesOf = ({fence}: Language): string => new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'ms').exec(SECTION)![1]!;

/** The output of the lines, with this sandbox instead of the named one. */
function printed(language: Language, lines: string, {sandbox, url}: Foreign): Promise<string> {
  const code = lines.replace('sk_test_…', sandbox.keys.secret).replace('http://127.0.0.1:4010', url);
  const child = spawn(language.program, language.reading, {
    cwd: ROOT,
    env: {...process.env, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1'},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end([language.before, code, language.then, ''].filter((part) => part !== undefined).join('\n'));
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(text.trim()));
  });
}

test('every SDK is documented with an address and a key', () => {
  for (const language of LANGUAGES)
    for (const part of ['sk_test_…', 'http://127.0.0.1:4010']) expect(linesOf(language)).toContain(part);
});

const installed = LANGUAGES.filter(({program, probe}) => spawnSync(program, probe, {cwd: ROOT}).status === 0);

test.for(installed.map((language) => [language.fence, language] as const))(
  'the lines for %s reach the sandbox',
  async ([, language]) => {
    const served = await foreign();
    const id = await printed(language, linesOf(language), served);
    expect(id).toMatch(/^cus_/);
    expect((await served.payrex.customers.retrieve(id)).email).toBe('ana@example.com');
  },
);

test('payrex-node ignores apiBaseUrl, as documented', async () => {
  const {withKey, url} = await foreign();
  const Client = withKey('sk_test_x').constructor;
  const payrex = new Client('sk_test_x');
  payrex.config.apiBaseUrl = url;
  expect(payrex.customers.httpClient.baseUrl).toBe('https://api.payrexhq.com');
});
