// How fast centavo starts, answers and asks for a list, how much memory that needs and how much is installed, beside other programs.
// Each is installed from its npm package into a temporary folder, and run by the Node that runs this. Times are those of whole
// processes, as the ratio to `node -e 0`, which runs before each: medians of pairs, one of each measure in turn.
//
//   node bench/compare.mjs [--rounds 15] [--only version,help,list,…] [--peers none|heroku,…] [--json] [--write]

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
import {availableParallelism, tmpdir} from 'node:os';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {median, pair, peakMemory, run} from './processes.mjs';
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
  const env = {PATH, HOME: home, TMPDIR: home};
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

const note = (text) => console.error(text);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'centavo-bench-')));
const server = fork(new URL('lists.mjs', import.meta.url));
const url = `http://127.0.0.1:${(await once(server, 'message'))[0]}`;
const figures = {
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  cores: availableParallelism(),
  rounds,
  nothing: 0,
  programs: [],
  leftOut: [],
};
try {
  const [{filename}] = JSON.parse(npm('pack', root, '--json', '--pack-destination', folder));
  const installed = [];
  for (const program of [CENTAVO, ...peers]) {
    const specifier = program === CENTAVO ? join(folder, filename) : `${program.package}@${program.version}`;
    note(`${program.package}…`);
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
  const measures = installed
    .flatMap((each) => measuresOf(each, url))
    .filter(({name}) => (options.only ?? name).split(',').includes(name))
    .map((measure) => ({...measure, ratios: []}));
  const nothing = [];
  for (let round = 1; round <= rounds; round++) {
    note(`round ${round} of ${rounds}`);
    for (const measure of measures) {
      const times = pair(measure.args, measure);
      nothing.push(times.nothing.wall);
      measure.ratios.push(times.program.wall / times.nothing.wall);
    }
  }
  figures.nothing = median(nothing);
  for (const each of installed) {
    const own = measures.filter((measure) => measure.package === each.program.package);
    const ratios = Object.fromEntries(own.map((measure) => [measure.name, median(measure.ratios)]));
    const list = own.find(({name}) => name === 'list');
    const peaks = [];
    for (let time = 0; list && time < 3; time++) peaks.push(await peakMemory(list.args, list));
    figures.programs.push({
      package: each.program.package,
      version: each.version,
      size: each.size,
      memory: peaks[0] && Math.max(...peaks),
      ratios,
    });
  }
} finally {
  server.disconnect();
  rmSync(folder, {recursive: true, force: true});
}

const table = (header, rows) =>
  [header, ['---', ...header.slice(1).map(() => '---:')], ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const ratio = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 0));
const megabytes = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0));

/** The figures for the documents: a comparison, and the figures of centavo alone. */
function documented() {
  const comparison = table(
    ['Program', '`--version`', '`--help`', 'list', 'peak memory of the list, MB', 'installed, MB', 'packages'],
    figures.programs.map(({package: name, version, ratios, memory, size}) => [
      `${name} ${version}`,
      ...['version', 'help', 'list'].map((measure) => ratio(ratios[measure])),
      megabytes(memory),
      megabytes(size.total),
      size.packages,
    ]),
  );
  const [{ratios, size}] = figures.programs;
  const line = (text, measure) => [text, ratio(ratios[measure])];
  const own = table(
    ['centavo', 'ratio'],
    [
      line('`--version`', 'version'),
      line('`--help`', 'help'),
      line('`customers --help`', 'topic-help'),
      line('`customers list --help`', 'command-help'),
      line('`status --json`', 'status'),
      line('`commands --json`', 'commands'),
      line('completion of flags', 'completion'),
      line('`customers list --json`, embedded sandbox', 'list-in-process'),
      line('`customers list --jq .data[0].id`, embedded sandbox', 'list-in-process-jq'),
      line('`customers list -o table`, embedded sandbox', 'list-in-process-table'),
      line('`customers list --json`, HTTP', 'list'),
      line('`customers list -o table`, HTTP', 'list-table'),
    ],
  );
  const {node, platform, cores, nothing, leftOut} = figures;
  const rest = [
    `Measured on ${new Date().toISOString().slice(0, 10)}: Node ${node.slice(1)}, ${platform}, ${cores} cores, ${rounds} rounds; \`node -e 0\` took ${nothing.toFixed(0)} ms.`,
    `Of what npm installs for centavo, ${megabytes(size.own)} MB are centavo itself, and the rest its native parts.`,
    own,
    ...leftOut.map(({package: name, reason}) => `Left out: ${name} (${reason.trim().split('\n').at(-1)}).`),
  ].join('\n\n');
  return {'README.md': comparison, 'docs/performance.md': rest};
}

console.log(options.json ? JSON.stringify(figures, null, 2) : Object.values(documented()).join('\n\n'));
for (const [name, text] of Object.entries(options.write ? documented() : {})) {
  const path = join(root, name);
  const document = readFileSync(path, 'utf8');
  const part = /(?<=<!-- speed -->\n\n).*(?=<!-- \/speed -->)/s;
  if (!part.test(document)) throw new Error(`${name} has no part speed`);
  writeFileSync(
    path,
    document.replace(part, () => `${text}\n\n`),
  );
}
