// Counts the files, arrows, circles and walks of the source, so that a change of its layout can be compared with the state before.
//
//   node tools/house.mjs [--root DIR] [--json]      DIR is a checkout that tools/setup.mjs has built; by default this one
//
// Room: the first folder below src, or a file at its top by its own name; context.ts belongs to context/, and commands.ts to commands/.
// Part: the same one level down in cli/: a folder there, or a file at its top.
// Arrow: a pair of rooms (or of parts) of which the first imports the second. Values: static and dynamic imports, without `import type`.
// Upward: an arrow of values against ROOMS or PARTS.
// Circle: files that need each other, directly or through others, by imports of values.
// Name: a function, class, constant, variable, type, interface or enum at the top of a file, exported or not.
// Function: a function, a method, or an arrow function with a name, from its first line to its last. It is found by its indentation.
// Walk: the files of dist/ of which a function ran, other than the body of the module; functions that only its loading calls count.
// Stay: a run of such files in one room or part, in the order in which imports lead to them from entry.ts. Return: a stay where one was before.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, posix, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';

const listed = (text) => text.trim().split(/\s+/);
/** From the top down: a room may import those after it. */
const ROOMS = listed(`entry main index context commands cli guard billing client sandbox webhooks config audit output
  programs storage http input api ground`);
/** The same in cli/. Files at its top come after all folders, and have no order among themselves. */
const PARTS = listed('line help program operations lists references base dry-run objects');
const [MOST_AT_TOP, SHORT_FILE, LONG_FUNCTION] = [12, 25, 80];
const {values: options} = parseArgs({options: {root: {type: 'string'}, json: {type: 'boolean', default: false}}});
const root = resolve(options.root ?? fileURLToPath(new URL('..', import.meta.url)));

/** The TypeScript below a folder, by name: `api/wire` for `src/api/wire.ts`. */
const read = (folder) =>
  readdirSync(join(root, folder), {recursive: true, encoding: 'utf8'})
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, folder, path), 'utf8');
      return {name: path.replaceAll('\\', '/').slice(0, -'.ts'.length), lines: text.trimEnd().split('\n')};
    });

// As test/architecture.test.ts reads them.
const COMMENT = /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(^|\s)\/\/[^\n]*/g;
const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\s+from\s+)?'(\.[^']+)'/gm;
const DYNAMIC = /\b(?:import|require(?:\.resolve)?)\(()\s*'(\.[^']+)'\s*\)/g;

function importsOf({name, lines}) {
  const code = lines.join('\n').replace(COMMENT, '$1$2');
  const targetOf = (specifier) => posix.join(posix.dirname(name), specifier).replace(/\.js$/, '');
  const found = [...code.matchAll(STATEMENT), ...code.matchAll(DYNAMIC)];
  return found.map(([, type, specifier]) => ({isType: Boolean(type), target: targetOf(specifier)}));
}

const sources = read('src').map((source) => ({...source, imports: importsOf(source)}));
const names = sources.map(({name}) => name);
const valuesOf = new Map(
  sources.map(({name, imports}) => [name, imports.filter(({isType}) => !isType).map(({target}) => target)]),
);

const [roomOf, partOf] = [0, 1].map((level) => (name) => name.split('/')[level]);
const isOfCli = (name) => name.startsWith('cli/');

/** Where a file stands: its room, and in the two that are the largest the folder there. */
function folderOf(name) {
  const [room, part, file] = name.split('/');
  if (part === undefined) return 'top';
  return file !== undefined && /^(cli|commands)$/.test(room) ? `${room}/${part}` : room;
}

function countBy(files, keyOf) {
  const counts = {};
  for (const {name, lines} of files) {
    const count = (counts[keyOf(name)] ??= {files: 0, lines: 0});
    count.files++;
    count.lines += lines.length;
  }
  return counts;
}

function arrowsBetween(isWithin, keyOf, order, others) {
  const rankOf = (key) => {
    const rank = order.indexOf(key);
    if (rank < 0 && !others.includes(key)) throw new Error(`ROOMS or PARTS in tools/house.mjs does not have ${key}.`);
    return rank < 0 ? order.length : rank;
  };
  const found = {values: new Set(), types: new Set()};
  const upward = new Set();
  for (const {name, imports} of sources.filter(({name}) => isWithin(name))) {
    for (const {isType, target} of imports.filter(({target}) => isWithin(target))) {
      const [from, to] = [keyOf(name), keyOf(target)];
      if (from === to) continue;
      found[isType ? 'types' : 'values'].add(`${from} → ${to}`);
      if (!isType && rankOf(to) < rankOf(from)) upward.add(`${from} → ${to}`);
    }
  }
  const onlyTypes = [...found.types].filter((arrow) => !found.values.has(arrow)).length;
  const rooms = new Set(names.filter(isWithin).map(keyOf)).size;
  return {rooms, values: found.values.size, onlyTypes, upward: [...upward].sort()};
}

/** All that a file leads to by imports of values, itself only if a circle does; in the order in which they lead there. */
function reachedFrom(name, seen = new Set()) {
  for (const next of valuesOf.get(name)) if (!seen.has(next)) reachedFrom(next, seen.add(next));
  return seen;
}

function circles() {
  const reached = new Map(names.map((name) => [name, reachedFrom(name)]));
  const found = names
    .filter((name) => reached.get(name).has(name))
    .map((name) => [...reached.get(name)].filter((other) => reached.get(other).has(name)).sort());
  return [...new Map(found.map((circle) => [circle.join(), circle])).values()];
}

const DEFINITION =
  /^(?:(?:export|declare|abstract|async) )*(?:function\*?|class|const|let|type|interface|enum) +([\w$]+)/;
function namesDefinedTwice() {
  const places = new Map();
  for (const {name, lines} of sources)
    for (const [, defined] of lines.map((line) => DEFINITION.exec(line)).filter(Boolean))
      places.set(defined, (places.get(defined) ?? new Set()).add(name));
  return [...places].filter(([, files]) => files.size > 1).map(([defined, files]) => ({defined, files: files.size}));
}

const WORDS_BEFORE = /^(?:(?:export|default|private|protected|static|override|async|get|set) )+/;
const HEAD =
  /^(?:function\*? |const (?=.*= (?:async )?[(<]))?(?!(?:if|for|while|switch|const|abstract|class|interface|type|try|do|return)\b)(#?[\w$]+).*(?:[^=] \{|=> \{|\(|=>)$/;
/** Prettier gives the last line of a function the indentation of its first; of those between, only brackets may have it. */
function longFunctionsOf({name: file, lines}) {
  return lines.flatMap((line, last) => {
    const [, indent] = /^( *)\};?$/.exec(line) ?? [];
    if (indent === undefined) return [];
    const begins = (text) => text.startsWith(indent) && /^[^\s)\]}]/.test(text.slice(indent.length));
    const first = lines.slice(0, last).findLastIndex(begins);
    const [, name] = HEAD.exec(lines[first]?.trim().replace(WORDS_BEFORE, '')) ?? [];
    const length = last - first + 1;
    return name && length > LONG_FUNCTION ? [{name, file, lines: length}] : [];
  });
}

const ordered = [...new Set(['entry', ...reachedFrom('entry'), ...names])];
function walk(name, calls) {
  const ran = new Set([...calls].map(([key]) => key.split(' ')[0]));
  const files = ordered.filter((file) => ran.has(file));
  const places = files.map((file) => (isOfCli(file) ? `cli/${partOf(file)}` : roomOf(file)));
  const stays = places.filter((place, at) => place !== places[at - 1]);
  return {name, files: files.length, stays: stays.length, returns: stays.length - new Set(stays).size, list: files};
}

/** How often each function of dist/ ran, by its file and its place there. */
function callsIn(coverage) {
  const calls = new Map();
  const dist = `${pathToFileURL(join(root, 'dist')).href}/`;
  const reports = readdirSync(coverage).map((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')));
  for (const {url, functions} of reports.flatMap(({result}) => result).filter(({url}) => url.startsWith(dist))) {
    for (const {functionName, ranges} of functions) {
      const [{startOffset, count}] = ranges;
      // The body of a module begins at 0.
      if (count === 0 || startOffset === 0 || functionName === '<static_initializer>') continue;
      const key = `${url.slice(dist.length).replace(/\.js$/, '')} ${startOffset}`;
      calls.set(key, (calls.get(key) ?? 0) + count);
    }
  }
  return calls;
}

const MORE_ROWS = 10;
/** How long the guided flow may take, in milliseconds. */
const FLOW_LIMIT = 60_000;
/** What is typed there, each after its question; Enter alone answers none that has just come. */
const ANSWERS = [
  [/1 customer/, 'juan'],
  [/❯ Juan/, '\r'],
  [/Item 1:/, 'Web design x2 @ 15,000\r'],
  [/Item 2:/, 'done\r'],
  [/\? Due:/, '+30d\r'],
  [/What's next\?/, 's\r'],
];
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|\r/g;
const home = mkdtempSync(join(tmpdir(), 'centavo-house-'));
process.on('exit', () => rmSync(home, {recursive: true}));

/** Runs a command line of dist/ in a folder of `home`. @returns how often each function ran */
async function callsOf(folder, words, {before = '', expected = 0, start = startProcess} = {}) {
  const cwd = join(home, folder);
  const coverage = mkdtempSync(join(home, 'coverage-'));
  mkdirSync(cwd, {recursive: true});
  const entry = JSON.stringify(pathToFileURL(join(root, 'dist', 'entry.js')).href);
  const program = `${before};import(${entry}).then(({start}) => start(process.argv.slice(1), ${JSON.stringify(root)}))`;
  const places = {HOME: cwd, CENTAVO_DATA_DIR: cwd, CENTAVO_CONFIG_DIR: cwd, NODE_V8_COVERAGE: coverage};
  const env = {PATH: process.env.PATH, TERM: 'xterm-256color', ...places};
  const {status, said} = await start(['--eval', program, '--', ...words], {cwd, env});
  if (status !== expected) throw new Error(`centavo ${words.join(' ')} ended with ${status}:\n${said}`);
  return callsIn(coverage);
}

async function startProcess(args, options) {
  const child = spawn(process.execPath, args, {...options, stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const [status] = await once(child, 'close');
  return {status, said};
}

async function startInTerminal(args, options) {
  const module = await import('@lydell/node-pty');
  const pty = (module.default ?? module).spawn(process.execPath, args, {...options, cols: 100, rows: 40});
  let [raw, from, answered] = ['', 0, 0];
  pty.onData((data) => {
    raw += data;
    const text = raw.replace(ESCAPES, '');
    const match = ANSWERS[answered]?.[0].exec(text.slice(from));
    if (!match) return;
    from += match.index + match[0].length;
    pty.write(ANSWERS[answered++][1]);
  });
  const limit = setTimeout(() => pty.kill(), FLOW_LIMIT);
  const status = await new Promise((done) => pty.onExit(({exitCode}) => done(exitCode)));
  clearTimeout(limit);
  return {status, said: raw.replace(ESCAPES, '')};
}

/** Imports so many rows in a folder of their own, one after the other. */
function importRows(folder, count, options) {
  mkdirSync(join(home, folder));
  const row = (_, at) => `R-${at},payer${at}@example.com,Payer ${at},Rent,1,${100 + at},+30d\n`;
  const header = 'External ID,Customer Email,Customer Name,Item,Quantity,Unit Price,Due\n';
  writeFileSync(join(home, folder, 'june.csv'), header + Array.from({length: count}, row).join(''));
  const flags = ['--send', '--yes', '--json', '--concurrency', '1'];
  return callsOf(folder, ['billing-statements', 'import', 'june.csv', ...flags], options);
}
const STOP_AT_FIRST_ROW = `const {write} = process.stdout;
  process.stdout.write = function (text, ...more) {
    if (String(text).includes('"type":"row"')) process.emit('SIGINT');
    return write.call(this, text, ...more);
  }`;

async function measureWalks() {
  await callsOf('shop', ['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com']);
  const create = ['billing-statements', 'create'];
  const flags = ['--item', 'Rent @ 100', ...listed('--customer juan@example.com --due +30d --finalize --send --yes')];
  const [few, many] = [await importRows('few', 2), await importRows('many', 2 + MORE_ROWS)];
  await importRows('stopped', 2 + MORE_ROWS, {before: STOP_AT_FIRST_ROW, expected: 130});
  const [job] = readdirSync(join(home, 'stopped', 'jobs')).map((name) => name.split('.')[0]);
  const repeated = [...many].filter(([key, count]) => count - (few.get(key) ?? 0) >= MORE_ROWS);
  return [
    walk('any command (status)', await callsOf('shop', ['status'])),
    walk('a statement', await callsOf('shop', [...create, ...flags])),
    walk('an import row', repeated),
    walk('an import resumed', await callsOf('stopped', ['jobs', 'resume', job, '--yes'])),
    walk('printing a list', await callsOf('shop', ['customers', 'list', '-o', 'table'])),
    walk('the guided flow', await callsOf('shop', create, {start: startInTerminal})),
  ];
}

const sum = (files) => countBy(files, () => 'all').all;
const largest = sources.filter(({name}) => /^(cli|commands)\//.test(name));
const tags = sources.flatMap((source) => source.lines).filter((line) => /@(throws|param|returns)\b/.test(line));
const folders = Object.entries(countBy(sources, (name) => posix.dirname(`src/${name}`)));
const isBuilt = ['dist/entry.js', 'bundle/commands.json'].every((path) => existsSync(join(root, path)));
const report = {
  src: sum(sources),
  test: sum(read('test')),
  rooms: countBy(sources, (name) => roomOf(folderOf(name))),
  parts: countBy(largest, folderOf),
  arrows: arrowsBetween(() => true, roomOf, ROOMS, []),
  arrowsInCli: arrowsBetween(isOfCli, partOf, PARTS, names.filter((name) => folderOf(name) === 'cli').map(partOf)),
  circles: circles(),
  fullFolders: folders.filter(([, {files}]) => files > MOST_AT_TOP).map(([name, {files}]) => ({name, files})),
  shortFiles: sources.filter((source) => source.lines.length <= SHORT_FILE).map(({name}) => name),
  namesDefinedTwice: namesDefinedTwice(),
  tagLines: tags.length,
  longFunctions: sources.flatMap(longFunctionsOf).sort((a, b) => b.lines - a.lines),
  walks: isBuilt ? await measureWalks() : 'not built: run node tools/setup.mjs',
};
const text = ({files, lines}) => `${files} files, ${lines} lines`;
const table = (counts) => Object.entries(counts).map(([name, count]) => `  ${name}: ${text(count)}`);
const arrowText = ({rooms, values, onlyTypes, upward}) =>
  `${rooms} rooms, ${values} arrows, ${onlyTypes} more by types alone, ${upward.length} upward: ${upward.join(', ') || 'none'}`;
const plain = [
  `src: ${text(report.src)}; test: ${text(report.test)}`,
  ...['Rooms', ...table(report.rooms), 'In cli and commands', ...table(report.parts)],
  ...[`Arrows: ${arrowText(report.arrows)}`, `In cli: ${arrowText(report.arrowsInCli)}`],
  `Circles: ${report.circles.length}`,
  ...report.circles.map((circle) => `  ${circle.length}: ${circle.join(', ')}`),
  `Folders with more than ${MOST_AT_TOP} files: ${report.fullFolders.length}`,
  ...report.fullFolders.map(({name, files}) => `  ${name}: ${files}`),
  `Files of ${SHORT_FILE} lines or fewer: ${report.shortFiles.length}`,
  `Names defined in more than one file: ${report.namesDefinedTwice.length}`,
  `Lines with @throws, @param or @returns: ${report.tagLines}`,
  `Functions of more than ${LONG_FUNCTION} lines: ${report.longFunctions.length}`,
  ...report.longFunctions.map(({name, file, lines}) => `  ${name} (${file}): ${lines}`),
  `Walks (files, stays/returns)${isBuilt ? '' : `: ${report.walks}`}`,
  ...(isBuilt ? report.walks.map((each) => `  ${each.name}: ${each.files}, ${each.stays}/${each.returns}`) : []),
];
console.log(options.json ? JSON.stringify(report, null, 2) : plain.join('\n'));
