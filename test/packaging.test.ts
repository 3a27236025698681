// The package: all linked documents, working code, and nothing that runs at installation.

import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from './support/cli.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let packed: ReadonlySet<string>;
/** Bytes of all installed files. */
let unpackedSize: number;
/** A project with only this package installed. */
let project: string;
beforeAll(() => {
  const into = temporaryDirectory(afterAll);
  const words = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', into];
  const {stdout, stderr} = spawnSync('npm', words, {cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32'});
  expect(stdout, stderr).toContain('{');
  // Newer versions of npm print an object by name, older ones a list.
  const [pack] = Object.values<{filename: string; unpackedSize: number; files: {path: string}[]}>(JSON.parse(stdout));
  packed = new Set(pack!.files.map(({path}) => path));
  unpackedSize = pack!.unpackedSize;
  project = temporaryDirectory(afterAll);
  const installed = join(project, 'node_modules', 'centavo');
  mkdirSync(installed, {recursive: true});
  run(project, 'tar', '-xzf', join(into, pack!.filename), '-C', installed, '--strip-components=1');
});

function run(cwd: string, program: string, ...args: string[]): string {
  const env = {PATH: process.env.PATH, HOME: cwd};
  const {status, stdout, stderr} = spawnSync(program, args, {cwd, encoding: 'utf8', env});
  expect({status, output: status === 0 ? '' : stdout + stderr}).toEqual({status: 0, output: ''});
  return stdout;
}

test('it has the program, the library, types and manifest, and neither sources nor tests', () => {
  for (const path of [
    'bin/run.js',
    'bundle/entry.js',
    'bundle/index.mjs',
    'bundle/index.d.mts',
    'bundle/commands.json',
    'bundle/help-80.txt',
  ])
    expect(packed).toContain(path);
  expect([...packed].filter((path) => /^(src|test|tools|dist)\/|node_modules/.test(path))).toEqual([]);
});

test('it takes at most 12 MB, without the native packages', () => {
  expect(unpackedSize).toBeLessThanOrEqual(12_000_000);
});

describe('with no other package present', () => {
  const LIBRARY = `
    import {createClient, createSandbox, signPayload, verifySignature, CentavoError} from 'centavo';
    const answered = {status: 200, headers: {'content-type': 'application/json'}};
    const body = new TextEncoder().encode('{"resource":"list","has_more":false,"data":[{"id":"cus_1","resource":"customer","name":"Juan"}]}');
    const client = createClient({key: 'sk_test_1', transport: async () => ({...answered, body})});
    for await (const each of client.customers.list({email: 'juan@example.com'})) console.log(each.name);
    const secret = 'whsk_0123456789abcdef';
    const header = signPayload({body, secret, timestamp: 1_800_000_000, mode: 'test'});
    console.log(verifySignature({body, header, secrets: [secret], now: 1_800_000_000, mode: 'test'}).genuine);
    await client.customers.get(String('bstm_1')).catch((error) => console.log(error instanceof CentavoError && error.kind));
    console.log(typeof createSandbox);
  `;

  test('the library runs', () => {
    writeFileSync(join(project, 'library.mjs'), LIBRARY);
    expect(run(project, process.execPath, 'library.mjs')).toBe('Juan\ntrue\nusage\nfunction\n');
  });

  test('its declarations are complete, and check types', () => {
    const wrong = `
      // @ts-expect-error -- a name is a text
      await client.customers.create({name: 1, email: 'juan@example.com', currency: 'PHP'});
      // @ts-expect-error -- there is no such method
      client.customers.finalize('cus_1');
      // @ts-expect-error -- what is inside is not for others
      (await createSandbox()).perform(() => {});
      const amount: number = (await client.billingStatements.finalize('bstm_1')).amount;
      console.log(amount);
    `;
    writeFileSync(join(project, 'library.mts'), LIBRARY + wrong);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
    run(project, process.execPath, compiler, ...options, '--skipLibCheck', 'false', 'library.mts');
  });

  test('the program runs, and lists its commands', () => {
    const program = join(project, 'node_modules/centavo/bin/run.js');
    expect(run(project, process.execPath, program, 'billing-statements', '--help')).toContain('finalize');
    const commands = JSON.parse(run(project, process.execPath, program, 'commands', '--json')) as {data: unknown[]};
    expect(JSON.stringify(commands).length).toBeGreaterThan(10_000);
  });

  test('npm would install only the native packages', () => {
    const {dependencies = {}, optionalDependencies = {}} = JSON.parse(
      readFileSync(join(project, 'node_modules/centavo/package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>;
    expect(dependencies).toEqual({});
    expect(Object.keys(optionalDependencies)).toEqual(['@napi-rs/keyring', 'libsql']);
  });
});

/** Licences that require only their text, which the package includes. */
const FREE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

describe('third-party code', () => {
  const installed = (path: string): string => readFileSync(join(project, 'node_modules/centavo', path), 'utf8');
  interface Component {
    readonly name: string;
    readonly version?: string;
    readonly scope: string;
    readonly licenses: readonly {readonly expression: string}[];
    readonly hashes?: readonly {readonly content: string}[];
  }
  const components = () => (JSON.parse(installed('bundle/sbom.cdx.json')) as {components: Component[]}).components;
  const nameOf = ({name, version}: {name: string; version?: string}): string => `${name}@${version ?? 'inside'}`;
  const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

  test('is in the SBOM once: bundled, compiled in, or installed', () => {
    const bundled = Object.values(JSON.parse(installed('bundle/contents.json')) as Record<string, string[]>)
      .flat()
      .flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [])
      .map((folder) => nameOf(JSON.parse(read(join(folder, 'package.json')))));
    expect(bundled.length).toBeGreaterThan(50);
    const inside = components().filter(({scope}) => scope === 'required');
    const compiled = ['jq@inside', 'llhttp@inside', 'oniguruma@inside'];
    expect(inside.map(nameOf).sort()).toEqual(sorted([...bundled, ...compiled]));
    const {packages} = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, {version: string; dev?: boolean}>;
    };
    const beside = Object.entries(packages)
      .filter(([path, {dev}]) => path !== '' && !dev)
      .map(([path, {version}]) => nameOf({name: path.replace(/^.*node_modules\//, ''), version}));
    const names = new Set(components().map(nameOf));
    expect(beside.filter((name) => !names.has(name))).toEqual([]);
    expect(names.size).toBe(components().length);
  });

  test('may be redistributed, with the text of each licence', () => {
    const texts = installed('bundle/LICENSES.txt').split(`\n${'-'.repeat(80)}\n\n`);
    for (const {name, version, scope, licenses} of components()) {
      expect(FREE, name).toContain(licenses[0]!.expression);
      if (scope !== 'required') continue;
      const [text, ...others] = texts.filter((each) => each.startsWith(`${name} ${version ?? 'in '}`));
      expect(text?.length, name).toBeGreaterThan(400);
      expect(others).toEqual([]);
    }
  });

  test('has the checksum of the lockfile; the SBOM has no time, serial number or local path', () => {
    for (const {name, version, hashes} of components())
      if (version) expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
    expect(installed('bundle/sbom.cdx.json')).not.toMatch(/timestamp|serialNumber/);
    const ours = [...packed].filter((path) => path.startsWith('bundle/') && installed(path).includes(ROOT));
    expect(ours).toEqual([]);
  });
});

/** Every document outside the tests. */
const DOCUMENTS = [
  ...readdirSync(ROOT),
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), {recursive: true, encoding: 'utf8'}).map((name) => join(folder, name)),
  ),
].filter((path) => path.endsWith('.md'));

describe('every document is packed, and its relative links lead to packed files', () => {
  test.each(DOCUMENTS)('%s', (document) => {
    expect(packed).toContain(document);
    const links = [...read(document).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, link]) => link!);
    // Pictures are for readers of the repository.
    const broken = links.filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path === '' ? document : normalize(join(dirname(document), decodeURIComponent(path!)));
      if (target.startsWith('docs/pictures/')) return packed.has(target) || !existsSync(join(ROOT, target));
      if (!packed.has(target) && ![...packed].some((each) => each.startsWith(`${target}/`))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** The anchors of a document's headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('of an installation', () => {
  const {packages} = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, {dev?: boolean; hasInstallScript?: boolean}>;
  };
  const installed = Object.entries(packages).filter(([, {dev}]) => !dev);

  test('nothing runs a script by itself', () => {
    const {scripts} = JSON.parse(read('package.json')) as {scripts: Record<string, string>};
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    expect(installed.filter(([, {hasInstallScript}]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  test('no package is installed twice', () => {
    const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names).toContain('libsql');
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('an unbuilt copy', () => {
  test.each([
    ['of a clone names what builds it', ['bin', 'package.json', 'tools'], /Run: node '.*setup\.mjs'\n$/],
    [
      'of a package says to install it again',
      ['bin', 'package.json'],
      /Install it again, without --ignore-scripts\.\n$/,
    ],
  ])('%s, with an error of one line', (_, parts, next) => {
    const directory = temporaryDirectory();
    for (const part of parts) cpSync(join(ROOT, part), join(directory, part), {recursive: true});
    const start = (word: string) =>
      spawnSync(process.execPath, [join(directory, 'bin/run.js'), word], {encoding: 'utf8', env: {}});
    const {status, stdout, stderr} = start('status');
    expect({status, stdout}).toEqual({status: 1, stdout: ''});
    expect(stderr).toMatch(next);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});
