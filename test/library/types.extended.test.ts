// The shipped declarations: mistakes that must not compile and uses that must, with old and new compilers.

import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';

const ROOT = join(import.meta.dirname, '..', '..');
const FIXTURE = join(import.meta.dirname, 'types.test-d.ts');
const NODE_TYPES = join(ROOT, 'node_modules', '@types');

let project: string;
beforeAll(() => {
  project = temporaryDirectory(afterAll);
  const installed = join(project, 'node_modules', 'centavo');
  mkdirSync(join(installed, 'bundle'), {recursive: true});
  for (const path of ['package.json', 'bundle/index.d.mts']) cpSync(join(ROOT, path), join(installed, path));
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  cpSync(FIXTURE, join(project, 'types.ts'));
});

/** Compiles a file of the project strictly, libraries included. @returns what the compiler printed */
function compile(compiler: string, file: string, options: object): string {
  const config = {
    compilerOptions: {
      noEmit: true,
      strict: true,
      skipLibCheck: false,
      noUncheckedIndexedAccess: true,
      target: 'es2022',
      module: 'nodenext',
      ...options,
    },
    files: [file],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', compiler, 'bin', 'tsc');
  return spawnSync(process.execPath, [tsc, '-p', '.'], {cwd: project, encoding: 'utf8'}).stdout;
}

const WITH_DOM = {lib: ['es2022', 'dom'], types: []};
const WITH_NODE = {lib: ['es2022'], types: ['node'], typeRoots: [NODE_TYPES]};

test.each([
  ['7', 'typescript', 'dom', WITH_DOM],
  ['7', 'typescript', 'node', WITH_NODE],
  ['5.9', 'typescript-5.9', 'dom', WITH_DOM],
  ['5.9', 'typescript-5.9', 'node', WITH_NODE],
  ['5.4', 'typescript-5.4', 'dom', WITH_DOM],
  ['5.4', 'typescript-5.4', 'node', WITH_NODE],
])('TypeScript %s refuses the mistakes, and only these (%s, types of %s)', (_, compiler, __, options) => {
  expect(compile(compiler, 'types.ts', options)).toBe('');
});

test('there are at least 36 mistakes, each with a number and a title', () => {
  const titles = [...readFileSync(FIXTURE, 'utf8').matchAll(/@ts-expect-error (.*)/g)].map(([, title]) => title!);
  expect(titles.map((title) => Number(/^(\d+): \w/.exec(title)?.[1]))).toEqual(titles.map((_, index) => index + 1));
  expect(titles.length).toBeGreaterThanOrEqual(36);
});

test('the flat declarations are the types that the contract gives', () => {
  symlinkSync(join(ROOT, 'dist'), join(project, 'dist'));
  const names = ['Objects', 'Event', 'OperationName', 'ClientOptions', 'PaymentMethodType', 'TestEvents'];
  const lines = names.map((name) => `export const same${name}: Same<flat.${name}, derived.${name}> = true;`);
  const text = `import type * as flat from 'centavo';
    import type * as derived from './dist/index.js';
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'B is wider') : 'A is wider';
    // Two classes with private fields are never the same, so a list is compared by its page.
    type Calls<C> = {[R in keyof C]: {[M in keyof C[R]]: C[R][M] extends (...args: infer A) => infer Result ? [A, Awaited<Result>] : never}};
    export const sameClient: Same<Calls<flat.Client>, Calls<derived.Client>> = true;
    ${lines.join('\n')}
    // @ts-expect-error the comparison sees a difference
    export const different: Same<flat.Objects['payment'], Omit<derived.Objects['payment'], 'fee'>> = true;`;
  writeFileSync(join(project, 'same.ts'), text);
  expect(compile('typescript', 'same.ts', {...WITH_NODE, skipLibCheck: true})).toBe('');
});

test('the declarations are one flat file, without the data of the contract', () => {
  const path = join(ROOT, 'bundle', 'index.d.mts');
  const text = readFileSync(path, 'utf8');
  expect(text).not.toMatch(/^import |import\(/m);
  expect(text).toContain('declare const resources: readonly Resource[];');
  expect(statSync(path).size).toBeLessThan(70_000);
});
