// Bundles the built program, the library and their packages into a few files: a start reads few files, and users
// install only the native packages, which differ by platform.

import {cpSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {rolldown} from 'rolldown';
import {bundleDeclarations, contractDeclarations} from './declarations.mjs';
import {licencesOf, sbomOf} from './sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = (path) => join(root, 'dist', path);
const folder = join(root, 'bundle');
const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Defers calls of `require` until their value is used. @param declarations matches a line, with its name and value */
function deferRequires(code, declarations) {
  const names = [];
  const declared = code.replaceAll(declarations, (line, name, value) => {
    if (code.includes(`\n${name} = `)) return line;
    names.push(name);
    return `let ${name}$value; const ${name}$ = () => ${name}$value ??= ${value};`;
  });
  if (names.length === 0) return undefined;
  const uses = new RegExp(
    `(?<![\\w$"']|(?<!\\.\\.)\\.)(${names.map((name) => name.replaceAll('$', '\\$')).join('|')})(?![\\w$])`,
    'g',
  );
  return declared.replaceAll(uses, '($1$$())');
}

/**
 * oclif's modules require all their dependencies at once, and most commands need few of them.
 * TypeScript, with which oclif is built, writes every use as `name_1.property`, and the bundler writes `node_fs.property`
 * and `require_chunk.property` for the modules of Node and the other files of the bundle: each is loaded at its first use.
 */
const loadWhenUsed = {
  name: 'load when used',
  transform: (code, id) =>
    /[\\/]node_modules[\\/]@oclif[\\/]core[\\/]lib[\\/]/.test(id)
      ? deferRequires(code, /^(?:const|var) (\w+) = ((?:__importDefault\(|__importStar\()?require\("[^"]+"\)\)?);$/gm)
      : undefined,
  renderChunk: (code) => deferRequires(code, /^(?:const|let) ((?:node|require)_[\w$]+) = (require\("[^"]+"\));$/gm),
};

/** `import()` of a module of Node, or of the protocol's file, also starts Node's loader of ES modules: 2 to 200 ms. */
const requireForImport = {
  name: 'require for import',
  renderChunk: (code) =>
    code.replaceAll(/import\(("(?:node:[\w/]+|\.\/protocol\.js)")\)/g, 'Promise.resolve().then(() => require($1))'),
};

/** oclif's log would print the arguments, secrets included, with DEBUG. */
const withoutLog = {
  name: 'without log',
  resolveId: (source, importer) =>
    source === 'debug' && /[\\/]@oclif[\\/]core[\\/]/.test(importer ?? '') ? '\0no-log' : null,
  load: (id) => (id === '\0no-log' ? 'export default () => () => {};' : null),
};

/** The contract without its `assumed` reasons: only documents show them, and every command reads the contract. */
const withoutReasons = {
  name: 'without reasons',
  transform: (code, id) =>
    /[\\/]dist[\\/]api[\\/]/.test(id)
      ? code.replaceAll(/\bassumed: (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`$]*`|[A-Z_]+),?/g, '')
      : undefined,
};

/**
 * Leaves out of undici what a request does not need: node:assert (4 ms on Node 20) and node:http. It uses one function of
 * the first, and two values of the second. Its HTTP/2 client loads when it is used.
 */
const UNDICI = [
  [
    "const assert = require('node:assert')",
    "const assert = (holds, message = 'The assertion failed.') => { if (!holds) throw message instanceof Error ? message : new Error(message) }",
  ],
  ["const { IncomingMessage } = require('node:http')", ''],
  ['.constructor === IncomingMessage', ".constructor.name === 'IncomingMessage'"],
  ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ["= require('./client-h2.js')", "= (...given) => require('./client-h2.js')(...given)"],
];
const unused = new Set(UNDICI);
const undiciAlone = {
  name: 'undici alone',
  transform: (code, id) =>
    /[\\/]node_modules[\\/]undici[\\/]lib[\\/](?:core|dispatcher)[\\/]/.test(id)
      ? UNDICI.reduce((text, change) => {
          if (text.includes(change[0])) unused.delete(change);
          return text.replace(...change);
        }, code)
      : undefined,
  buildEnd() {
    if (unused.size > 0) throw new Error(`undici has changed: ${[...unused][0][0]}`);
  },
};

/** libsql without its search for the binding: the one for Linux with glibc, where npm puts it (src/storage/sqlite.ts). */
const LIBSQL = join(root, 'node_modules/libsql/index.js');
const SEARCH =
  /^const \{[^}]*\} = require\("(?:@neon-rs\/load|detect-libc)"\);$|^function requireNative\(\) \{$[^]*?^\}$/gm;
const libsqlWithBinding = {
  name: 'libsql with binding',
  resolveId: (source) => (source === 'libsql:bundled' ? source : null),
  load: (id) => (id === 'libsql:bundled' ? `export const bundled = () => require(${JSON.stringify(LIBSQL)});` : null),
  transform(code, id) {
    if (id === dist('storage/sqlite.js'))
      return `import {bundled} from 'libsql:bundled';\n${code.replace('require(BUNDLED_LIBSQL)', 'bundled()')}`;
    if (id !== LIBSQL) return undefined;
    if (code.match(SEARCH)?.length !== 3) throw new Error('libsql finds its binding in another way.');
    return `const load = require("node:module").createRequire(__filename);
const paths = load.resolve.paths("libsql").map((path) => path + "/@libsql/linux-" + process.arch + "-gnu/index.node");
const requireNative = () => load(paths.find(require("node:fs").existsSync));
${code.replaceAll(SEARCH, '')}`;
  },
};

const {dependencies} = JSON.parse(readFileSync(join(root, 'node_modules/@oclif/core/package.json'), 'utf8'));
const packagesOfOclif = ['@oclif/core/node_modules', ...Object.keys(dependencies)].filter(
  (name) => !(name in pjson.devDependencies),
);

/**
 * Modules that run together are one file: reading one is faster than reading twenty. The rest are separate files.
 * Each group includes the imports of its files, except those in a group above it.
 */
const GROUPS = [
  // Version and help.
  {name: 'start', test: /[\\/]dist[\\/]entry\.js$/},
  {name: 'tables', test: /node_modules[\\/]cli-table3[\\/]/},
  {name: 'date-words', test: /[\\/]dist[\\/]input[\\/]date-words\.js$/, includeDependenciesRecursively: false},
  // oclif's plugins, templates, colours and help.
  {name: 'oclif-packages', test: new RegExp(`node_modules[\\\\/](?:${packagesOfOclif.join('|')})[\\\\/]`)},
  {
    name: 'oclif-rest',
    test: /@oclif[\\/]core[\\/]lib[\\/](?:config[\\/](?:plugin|ts-path)|util[\\/](?:find-root|read-tsconfig|determine-priority|cache-command|cache-default-value|ensure-arg-object|fs|ids|os|read-pjson)\.|help[\\/](?!util)|parser[\\/](?:errors|help)|module-loader|ux|errors|interfaces|performance|screen|settings|symbols)|node_modules[\\/]typescript[\\/]/,
    includeDependenciesRecursively: false,
  },
  {
    name: 'undici-rest',
    test: /node_modules[\\/]undici[\\/]lib[\\/](?:api|web|llhttp[\\/]llhttp-wasm|core[\\/]socks5|dispatcher[\\/](?:client-h2|(?:env-http-|socks5-)?proxy))/,
    includeDependenciesRecursively: false,
  },
  {name: 'undici', test: /[\\/]dist[\\/]http[\\/]undici\.js$/},
  // Only what checks a request of the sandbox, or a faulty answer.
  {
    name: 'schema',
    test: /[\\/]dist[\\/]api[\\/]schema\.js$|node_modules[\\/]zod[\\/]/,
    includeDependenciesRecursively: false,
  },
  {name: 'contract', test: /[\\/]dist[\\/]api[\\/]registry\.js$/},
  // The display of a result.
  {
    name: 'views',
    test: /[\\/]dist[\\/]output[\\/]tables[\\/](?:views|table-view|record-view|layout|cells|table)\.js$/,
    includeDependenciesRecursively: false,
  },
  // What looks for an agent in any case.
  {
    name: 'status',
    test: /[\\/]dist[\\/](?:commands[\\/]status|processes[\\/]agents)\.js$/,
    includeDependenciesRecursively: false,
  },
  // Readers of the command index.
  {
    name: 'described',
    test: /[\\/]dist[\\/](?:cli[\\/](?:help[\\/]described|dispatch[\\/]complete)|commands[\\/]commands)\.js$/,
    includeDependenciesRecursively: false,
  },
  // Needed only for a pending delivery.
  {
    name: 'delivery',
    test: /[\\/]dist[\\/](?:sandbox[\\/]delivery[\\/](?:deliver|worker)|http[\\/](?:webhook-sender|addresses)|webhooks[\\/]signature[\\/]signature)\.js$/,
    includeDependenciesRecursively: false,
  },
  // Used by changes, and not by lists, tables and the status.
  {
    name: 'changes',
    test: /[\\/]dist[\\/](?:api[\\/]statement|common[\\/](?:brackets|email-address)|input[\\/](?:nearest|names|items|dates|email-address|pairs|event-filter)|guard[\\/]limits|output[\\/]render-list|cli[\\/](?:next-steps|dry-run|next-command|references[\\/](?:references|ask-reference)|operations[\\/](?:event-names|perform)|dispatch[\\/]print-error))\.js$|node_modules[\\/]fastest-levenshtein[\\/]/,
    includeDependenciesRecursively: false,
  },
  {
    name: 'sandbox-changes',
    test: /[\\/]dist[\\/]sandbox[\\/](?:actions[\\/](?:billing-statements|checkout-sessions|payment-intents|payments|webhooks)|payments[\\/](?:intents|fees)|lifecycle)\.js$/,
    includeDependenciesRecursively: false,
  },
  // Needed by every command.
  {name: 'program', test: /[\\/]dist[\\/](?:main|cli[\\/](?:base|records|schema))\.js$/},
  {name: 'endpoints', test: /[\\/]dist[\\/]client[\\/]endpoints\.js$/},
  {name: 'operation', test: /[\\/]dist[\\/]cli[\\/]operations[\\/]operation-command\.js$/},
  {name: 'client', test: /[\\/]dist[\\/](?:client[\\/]client|context[\\/](?:debug-exposures|refused-key))\.js$/},
  {name: 'sandbox', test: /[\\/]dist[\\/]sandbox[\\/]embedded\.js$/},
].map((group, index, {length}) => ({...group, priority: length - index}));

/** The packages of the protocol of `centavo mcp`: a file of their own, so that their zod is in no other command's file. */
const PROTOCOL = /^@modelcontextprotocol\/server(?:\/stdio)?$/;
const protocolElsewhere = {
  name: 'protocol elsewhere',
  resolveId: (source) => (PROTOCOL.test(source) ? {id: './protocol.js', external: 'absolute'} : null),
};
/** Without ajv, half of the file: centavo's server asks its client for nothing that would be checked. */
const protocolAlone = {
  name: 'protocol alone',
  resolveId: (source) =>
    source === 'protocol' ? '\0protocol' : source === '@modelcontextprotocol/server/_shims' ? '\0shims' : null,
  load: (id) =>
    id === '\0protocol'
      ? `export {Server} from '@modelcontextprotocol/server';
         export {serveStdio, StdioServerTransport} from '@modelcontextprotocol/server/stdio';`
      : id === '\0shims'
        ? `import process from 'node:process';
           export {process};
           export class DefaultJsonSchemaValidator {}`
        : null,
};

const onwarn = (warning) => {
  throw new Error(warning.message);
};
const bundle = await rolldown({
  input: {
    entry: dist('entry.js'),
    library: dist('index.js'),
    // Started by path, beside their starter.
    'keychain-child': dist('config/keys/keychain-child.js'),
    'jq-thread': dist('output/jq-thread.js'),
  },
  platform: 'node',
  // Required by groups.
  preserveEntrySignatures: 'allow-extension',
  external: ['libsql', '@napi-rs/keyring'],
  plugins: [
    loadWhenUsed,
    withoutLog,
    withoutReasons,
    libsqlWithBinding,
    undiciAlone,
    protocolElsewhere,
    requireForImport,
  ],
  onwarn,
});
// CommonJS starts faster than ES modules. The names of functions stay, for stack traces.
const form = {
  dir: folder,
  format: 'cjs',
  minify: {mangle: {toplevel: true, keepNames: true}, compress: true, codegen: {removeWhitespace: true}},
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
};
const {output: chunks} = await bundle.write({...form, codeSplitting: {groups: GROUPS}});
const protocol = await rolldown({input: {protocol: 'protocol'}, platform: 'node', plugins: [protocolAlone], onwarn});
const output = [...chunks, ...(await protocol.write({...form, minify: true})).output];

/** Node reads ASCII faster, and in half the memory. Raw texts are patterns, in which escapes mean the same, as in JSON. */
const inAscii = (code) =>
  code.replaceAll(/\\[\0-\x7f]|\\?([^\0-\x7f])/g, (found, unit) =>
    unit === undefined ? found : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

for (const {fileName, code} of output.filter(({type}) => type === 'chunk'))
  writeFileSync(join(folder, fileName), inAscii(code));
const names = new Set(output.map(({fileName}) => join(fileName)));
for (const name of readdirSync(folder, {recursive: true}))
  if (/\.[cm]?js$/.test(name) && !names.has(join(name))) rmSync(join(folder, name));

// jq-wasm reads it there.
cpSync(join(root, 'node_modules/jq-wasm/dist/build/jq.wasm'), join(folder, 'build/jq.wasm'));

const load = (path) => import(pathToFileURL(dist(path)).href);
const write = (name, text) => writeFileSync(join(folder, name), text);
write('package.json', '{"type": "commonjs"}\n');
// The library, as an ES module.
const exported = Object.keys(await load('index.js'));
write('index.mjs', `import library from './library.js';\n\nexport const {${exported.join(', ')}} = library;\n`);
const contract = {
  ...(await load('api/registry.js')),
  ...(await load('api/operation.js')),
  ...(await load('api/fields.js')),
};
const declared = (path) => readFileSync(dist(path), 'utf8');
const written = {types: declared('api/types.d.ts'), client: declared('library/typed-client.d.ts')};
write('index.d.mts', bundleDeclarations(dist('index.d.ts'), contractDeclarations(contract, written)));
const {loadCommand, loadCommands} = await load('command-table.js');
const {operations} = await load('api/registry.js');
const {indexOf} = await load('cli/catalog/command-index.js');
const {CommandCatalog} = await load('cli/catalog/command-catalog.js');
const {layOutPages} = await load('cli/help/help-pages.js');
const {HELP_WIDTHS, writePages} = await load('cli/help/help.js');
const index = indexOf(await loadCommands(), operations);
write('commands.json', inAscii(index));
// Help needs no context.
const program = new CommandCatalog({root, pjson, index: JSON.parse(index), loadCommand});
for (const width of HELP_WIDTHS) {
  const {name, text} = writePages(width, await layOutPages(program, width));
  write(name, text);
}

// The sources in each file.
const contents = output.map(({fileName, moduleIds = []}) => [fileName, moduleIds.map((path) => relative(root, path))]);
write('contents.json', `${JSON.stringify(Object.fromEntries(contents), null, 1)}\n`);
const paths = contents.flatMap(([, sources]) => sources);
write('LICENSES.txt', licencesOf(paths));
write('sbom.cdx.json', sbomOf(paths));
