// Measures the limits of this machine, and centavo beside them: its commands, client, receiver, and an import in the sandbox.
// Other programs are measured in turn with its commands: how fast each starts, answers and asks for a list, how much memory that
// needs and how much is installed. Each is installed from its npm package into a temporary folder, and run by the Node that runs
// this. Times are those of whole processes, as the ratio to `node -e 0`, which runs before each: medians of pairs, one of each
// measure in turn. On a quiet machine with 2 cores all of it takes about five minutes.
//
//   node bench/compare.mjs [--rounds 15] [--only version,help,list,…,import,receiver,client] [--peers none|heroku,…] [--json] [--write]

import {execFileSync, fork} from 'node:child_process';
import {once} from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {availableParallelism, cpus, tmpdir} from 'node:os';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {signatureTimes, syncs} from './limits.mjs';
import {page} from './page.mjs';
import {median, NOTHING, pair, peakMemory, run} from './processes.mjs';
import {CENTAVO, PEERS} from './programs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
const {values: options} = parseArgs({
  options: {
    rounds: {type: 'string', default: '15'},
    only: {type: 'string'},
    peers: {type: 'string'},
    json: {type: 'boolean', default: false},
    write: {type: 'boolean', default: false},
  },
});
const rounds = Number(options.rounds);
const peers = PEERS.filter((peer) => (options.peers ?? peer.package).split(',').includes(peer.package));

const npm = (...args) =>
  execFileSync('npm', [...args, '--ignore-scripts', '--loglevel=error'], {
    env: {...process.env, PATH},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });

/** Bytes of all files below a folder. */
const bytesBelow = (folder) =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);

/** Installs a package. @returns its entry file */
function install(program, specifier, folder, url) {
  const home = join(folder, 'home');
  mkdirSync(home, {recursive: true});
  npm('install', '--prefix', folder, '--no-audit', '--no-fund', specifier);
  const modules = join(folder, 'node_modules');
  const own = join(modules, program.package);
  const {version, bin} = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const {packages} = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const size = {
    total: bytesBelow(modules) / 1e6,
    own: bytesBelow(own) / 1e6,
    packages: Object.values(packages).filter(({inBundle}) => !inBundle).length,
  };
  for (const [name, text] of Object.entries(program.files ?? {})) {
    mkdirSync(dirname(join(home, name)), {recursive: true});
    writeFileSync(join(home, name), text);
  }
  if (program.replace) {
    const path = join(own, program.replace.path);
    writeFileSync(path, readFileSync(path, 'utf8').replace(program.replace.text, url));
  }
  const entry = join(own, typeof bin === 'string' ? bin : Object.values(bin)[0]);
  // A program that looks for a keychain would start a session bus, which would stay.
  const env = {PATH, HOME: home, TMPDIR: home, DBUS_SESSION_BUS_ADDRESS: 'disabled:'};
  return {program, version, size, entry, cwd: home, env, remote: {...env, ...program.env(url)}};
}

/** The measured commands of each program, and of centavo alone: arguments, and true if it uses the server. */
const words = {version: ['--version'], help: ['--help']};
const centavoOnly = {
  'topic-help': {args: ['customers', '--help']},
  'command-help': {args: ['customers', 'list', '--help']},
  status: {args: ['status', '--json']},
  commands: {args: ['commands', '--json']},
  completion: {args: ['__complete', 'words', 'customers', 'list', ''], expected: '--json'},
  'list-in-process': {args: ['customers', 'list', '--json'], expected: '"cus_'},
  'list-in-process-jq': {args: ['customers', 'list', '--jq', '.data[0].id'], expected: 'cus_'},
  'list-in-process-table': {args: ['customers', 'list', '--output', 'table'], expected: 'cus_'},
  'list-table': {args: ['customers', 'list', '--output', 'table'], expected: 'cus_9', remote: true},
};

function measuresOf({program, entry, cwd, env, remote}, url) {
  const measure = (name, args, more) => ({package: program.package, name, args: [entry, ...args], cwd, env, ...more});
  const {list} = program;
  return [
    measure('version', words.version),
    measure('help', words.help),
    measure('list', list.args(url), {env: remote, expected: list.expected}),
    ...(program === CENTAVO
      ? Object.entries(centavoOnly).map(([name, {args, expected, remote: asked}]) =>
          measure(name, args, {env: asked ? remote : env, expected}),
        )
      : []),
  ];
}

/** A whole program that asks for the same list as centavo, and prints it. */
const REQUEST = "require('node:http').get(process.argv[1], (answer) => answer.pipe(process.stdout))";
const bareRequest = (folder, url) => ({
  package: 'bare request',
  name: 'list',
  args: ['-e', REQUEST, url + CENTAVO.list.path],
  cwd: folder,
  env: {PATH},
  expected: CENTAVO.list.expected,
});

const ROWS = 1000;

/** @returns milliseconds of an import that sends each statement, in a new sandbox */
function importRows({entry, env}, folder) {
  const home = mkdtempSync(join(folder, 'import-'));
  const path = join(home, 'rows.csv');
  const rows = Array.from(
    {length: ROWS},
    (_, row) => `R-${row},Customer ${row},c${row}@example.com,Rent,1,${1000 + row},2099-06-30`,
  );
  writeFileSync(path, `external id,customer name,customer email,item,quantity,price,due\n${rows.join('\n')}\n`);
  const options = {cwd: home, env: {...env, HOME: home, TMPDIR: home}, timeout: 300_000};
  const {wall} = run([entry, 'import', path, '--send', '--yes', '--quiet'], options);
  return wall;
}

/** @returns the figures that another benchmark of this folder prints */
function other(name, ...args) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [path, ...args, '--json'], {encoding: 'utf8'}));
}

async function memoryOf({args, ...options}) {
  const peaks = [];
  for (let time = 0; time < 3; time++) peaks.push(await peakMemory(args, options));
  return peaks[0] && Math.max(...peaks);
}

const note = (text) => console.error(`${Math.round(performance.now() / 1000)} s: ${text}`);
const wanted = (name) => (options.only ?? name).split(',').includes(name);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'centavo-bench-')));
const server = fork(new URL('lists.mjs', import.meta.url));
const url = `http://127.0.0.1:${(await once(server, 'message'))[0]}`;
const figures = {
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  cpu: cpus()[0].model,
  cores: availableParallelism(),
  rounds,
  rows: ROWS,
  programs: [],
  leftOut: [],
};
try {
  const [{filename}] = JSON.parse(npm('pack', root, '--json', '--pack-destination', folder));
  const installed = [];
  for (const program of [CENTAVO, ...peers]) {
    const specifier = program === CENTAVO ? join(folder, filename) : `${program.package}@${program.version}`;
    note(`installing ${program.package}`);
    try {
      const each = install(program, specifier, join(folder, program.package.replaceAll('/', '-')), url);
      if (program === CENTAVO) run([each.entry, 'sandbox', 'seed'], each);
      // The first runs create settings and caches for the later ones.
      for (const measure of measuresOf(each, url).flatMap((measure) => [measure, measure])) run(measure.args, measure);
      installed.push(each);
    } catch (error) {
      if (program === CENTAVO) throw error;
      figures.leftOut.push({package: program.package, reason: String(error.stderr || error.message)});
    }
  }
  const request = bareRequest(folder, url);
  const measures = [request, ...installed.flatMap((each) => measuresOf(each, url))]
    .filter(({name}) => wanted(name))
    .map((measure) => ({...measure, ratios: [], times: []}));
  const nothing = [];
  for (let round = 1; round <= rounds; round++) {
    note(`round ${round} of ${rounds}`);
    for (const measure of measures) {
      const times = pair(measure.args, measure);
      nothing.push(times.nothing.wall);
      measure.times.push(times.program.wall);
      measure.ratios.push(times.program.wall / times.nothing.wall);
    }
  }
  /** The medians of a program by the names of its measures. */
  const medians = (program, kind) =>
    Object.fromEntries(
      measures.filter((measure) => measure.package === program).map((measure) => [measure.name, median(measure[kind])]),
    );
  note('memory');
  figures.nothing = {time: median(nothing), memory: await memoryOf({...request, args: NOTHING})};
  figures.request = {
    time: medians(request.package, 'times').list,
    ratio: medians(request.package, 'ratios').list,
    memory: await memoryOf(request),
  };
  for (const {program, version, size} of installed) {
    const list = measures.find((measure) => measure.package === program.package && measure.name === 'list');
    figures.programs.push({
      ...{package: program.package, version, size, memory: list && (await memoryOf(list))},
      ...{ratios: medians(program.package, 'ratios'), times: medians(program.package, 'times')},
    });
  }
  Object.assign(figures, signatureTimes());
  const times = syncs(folder);
  const repeats = Math.ceil(rounds / 5);
  if (wanted('import')) {
    const imports = [];
    for (let repeat = 1; repeat <= repeats; repeat++) {
      note(`import ${repeat} of ${repeats}`);
      imports.push(importRows(installed[0], folder));
      times.push(...syncs(folder));
    }
    figures.imported = median(imports);
  }
  if (wanted('receiver')) {
    note('receiver');
    figures.receiver = other('receiver.mjs', '--rounds', String(repeats));
    times.push(...syncs(folder));
    const inTurn = ['--connections', '1', '--events', '500', '--only', 'bare,stored'];
    figures.once = other('receiver.mjs', ...inTurn, '--rounds', String(repeats));
    times.push(...syncs(folder));
  }
  times.sort((a, b) => a - b);
  figures.sync = {median: median(times), most: times[Math.floor(times.length * 0.9)]};
  if (wanted('client')) {
    note('client');
    // The page shows the ratios, however large they are.
    figures.client = other('client.mjs', '--rounds', String(repeats), '--bound', 'Infinity');
  }
  note('done');
} finally {
  server.disconnect();
  rmSync(folder, {recursive: true, force: true});
}

console.log(options.json ? JSON.stringify(figures, null, 2) : page(figures));
if (options.write) {
  const path = join(root, 'docs/performance.md');
  const document = readFileSync(path, 'utf8');
  const part = /(?<=<!-- speed -->\n\n).*(?=<!-- \/speed -->)/s;
  if (!part.test(document)) throw new Error('docs/performance.md has no part speed');
  writeFileSync(
    path,
    document.replace(part, () => `${page(figures)}\n\n`),
  );
}
