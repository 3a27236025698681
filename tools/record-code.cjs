// Compiles the bundle for the Node that runs this, so that a start need not (src/built-code.ts): a few command lines are run, one after
// another, and what V8 has compiled at the end of each is kept. What none of them calls is compiled when it is called, as ever.
'use strict';

const {spawnSync} = require('node:child_process');
const fs = require('node:fs');
const Module = require('node:module');
const {tmpdir} = require('node:os');
const {dirname, join, sep} = require('node:path');
const {Script} = require('node:vm');

const root = join(__dirname, '..');
const bundle = join(root, 'bundle');
const program = join(root, 'bin', 'run.js');
/** Loaded before the rest. */
const FIRST = [program, join(bundle, 'entry.js')];

/** Seeded first, so that there is something to show. What people and scripts run most comes last: it has the last word. */
const LINES = [
  ['sandbox', 'seed', '-q'],
  ['billing-statements', 'create', '--help', '--json'],
  ['billing-statements', 'list', '--status', 'open', '-o', 'csv'],
  ['webhooks', 'deliveries', 'list', '--json'],
  ['customers', 'list', '-o', 'table'],
  ['customers', 'list', '--json', '--jq', '.data[0].id'],
  ['customers', 'list', '--json'],
  ['status', '--json'],
];

const compiledIn = (folder, path) => join(folder, encodeURIComponent(path.slice(root.length)));

/** In each of these processes: loads the files of the bundle with what was compiled before, and writes down what is compiled at the end. */
function record(folder) {
  const scripts = new Map();
  const load = Module._extensions['.js'];
  // They would be part of what V8 compares: code that was compiled with other flags is refused.
  require('node:v8').setFlagsFromString = () => {};
  Module._extensions['.js'] = (module, path) => {
    if (!path.startsWith(root + sep) || FIRST.includes(path)) return load(module, path);
    const compiled = compiledIn(folder, path);
    const cachedData = fs.existsSync(compiled) ? fs.readFileSync(compiled) : undefined;
    const script = new Script(Module.wrap(fs.readFileSync(path, 'utf8')), {filename: path, cachedData});
    scripts.set(path, script);
    const run = script.runInThisContext();
    run.call(module.exports, module.exports, Module.createRequire(path), module, path, dirname(path));
  };
  process.on('exit', () => {
    for (const [path, script] of scripts) fs.writeFileSync(compiledIn(folder, path), script.createCachedData());
  });
}

function build() {
  const home = fs.mkdtempSync(join(tmpdir(), 'centavo-code-'));
  try {
    const folder = join(home, 'code');
    fs.mkdirSync(folder);
    const env = {PATH: process.env.PATH, HOME: home, TMPDIR: home, CENTAVO_RECORD_CODE: folder};
    for (const line of LINES) spawnSync(process.execPath, ['--require', __filename, program, ...line], {env});
    const known = fs.readdirSync(folder).map((name) => root + decodeURIComponent(name));
    const all = fs
      .readdirSync(bundle)
      .map((name) => join(bundle, name))
      .filter((path) => path.endsWith('.js'));
    const files = {};
    const parts = [Buffer.alloc(4)];
    let end = 4;
    for (const path of new Set([...known, ...all].filter((each) => !FIRST.includes(each)))) {
      const compiled = fs.existsSync(compiledIn(folder, path))
        ? fs.readFileSync(compiledIn(folder, path))
        : new Script(Module.wrap(fs.readFileSync(path, 'utf8')), {filename: path}).createCachedData();
      const {size, mtimeMs} = fs.statSync(path);
      files[path.slice(root.length)] = [size, mtimeMs, end, (end += compiled.length)];
      parts.push(compiled);
    }
    parts[0].writeUInt32LE(end);
    parts.push(Buffer.from(JSON.stringify(files)));
    const {builtCodeName} = require(join(bundle, 'entry.js'));
    const path = join(bundle, builtCodeName(process));
    // Under its name it is whole: half of it would crash Node.
    const file = fs.openSync(`${path}.tmp`, 'w', 0o644);
    fs.writeFileSync(file, Buffer.concat(parts));
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.renameSync(`${path}.tmp`, path);
  } finally {
    fs.rmSync(home, {recursive: true, force: true});
  }
}

if (require.main === module) build();
else record(process.env.CENTAVO_RECORD_CODE);
