// Doctor fails for each file that a change cannot use, and a change works wherever doctor finds nothing.

import {execFileSync, spawnSync} from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {openDatabase} from '../../src/storage/sqlite.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {some} from '../support/test-size.js';

const OTHER = 12_345;
const isRoot = process.getuid?.() === 0;
/** Root may use every file, so the commands run as another user. */
const user = isRoot ? {uid: OTHER, gid: OTHER} : {};
const canRun = spawnSync(process.execPath, [RUN, '--version'], user).status === 0;

const run = (home: string, words: readonly string[]) => {
  const env = cliEnvironment(home, {XDG_CACHE_HOME: join(home, '.cache')});
  // Node 24 does not start in a folder that it cannot read.
  return spawnSync(process.execPath, [RUN, ...words], {...user, env, cwd: '/', encoding: 'utf8'});
};

let template: string;
let job = '';
let customer = '';
const own = (home: string) => isRoot && execFileSync('chown', ['-R', `${OTHER}:${OTHER}`, home]);

beforeAll(() => {
  if (!canRun) return;
  template = temporaryDirectory(afterAll);
  own(template);
  const ok = (...words: string[]) => {
    const {status, stdout, stderr} = run(template, words);
    expect(status, stderr).toBe(0);
    return stdout;
  };
  customer = JSON.parse(ok('customers', 'create', '--name', 'A', '--email', 'a@ex.com', '--json')).id;
  ok('customers', 'create', '--name', 'B', '--email', 'b@ex.com', '--idempotency-key', 'k1');
  ok('billing-statements', 'create', '--customer', customer, '--item', 'Rent @ 500');
  ok('webhooks', 'deliveries', 'list');
  writeFileSync(join(template, 'f.csv'), `customer,item,quantity,unit_price\n${customer},Rent,1,700\n`);
  ok('billing-statements', 'import', join(template, 'f.csv'), '--yes');
  job = readdirSync(join(template, 'jobs')).find((name) => name.endsWith('.db'))!;
});

/** A change that needs the file. */
const CHANGES: Readonly<Record<string, () => string[]>> = {
  'history.db': () => ['customers', 'create', '--name', 'C', '--email', 'c@ex.com'],
  'sandbox.db': () => ['customers', 'create', '--name', 'C', '--email', 'c@ex.com'],
  'repeats.db': () => ['customers', 'create', '--name', 'C', '--email', 'c@ex.com', '--idempotency-key', 'k2'],
  'runs.db': () => ['billing-statements', 'create', '--customer', customer, '--item', 'Water @ 700'],
  'deliveries.db': () => ['webhooks', 'deliveries', 'list'],
  job: () => ['jobs', 'resume', job.replace('.db', '')],
};

const sql = (path: string, text: string): void => {
  const database = openDatabase(path);
  database.exec(text);
  database.close();
};

const FAULTS: Readonly<Record<string, (path: string, file: string) => void>> = {
  none: () => {},
  'of a newer version': (path, file) => {
    if (file === 'sandbox.db') sql(path, "UPDATE settings SET value = 9 WHERE name = 'version'");
    else sql(path, file === 'job' ? 'UPDATE job SET version = 99' : 'PRAGMA user_version = 99');
  },
  'of another program': (path) => {
    rmSync(path);
    sql(path, 'CREATE TABLE x (y)');
  },
  'not a database': (path) => writeFileSync(path, 'text '.repeat(1000)),
  'a link': (path) => {
    renameSync(path, `${path}.real`);
    symlinkSync(`${path}.real`, path);
  },
  'a dangling link': (path) => {
    rmSync(path);
    symlinkSync('/nonexistent/file', path);
  },
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'read-only': (path) => chmodSync(path, 0o400),
  'in a read-only folder': (path) => chmodSync(join(path, '..'), 0o500),
  'root’s': (path) => chownSync(path, 0, 0),
  'another user’s, and open to all': (path) => {
    chownSync(path, OTHER + 1, OTHER + 1);
    chmodSync(path, 0o666);
  },
  'in root’s folder': (path) => chownSync(join(path, '..'), 0, 0),
};
const OWNERS = /root|another user/;

const ROWS = Object.keys(FAULTS).flatMap((fault) => Object.keys(CHANGES).map((file) => [file, fault] as const));

test('runs as a user who is not root, or skips and says why', () => {
  if (!isRoot) console.warn('Skipped: files of other owners, which only root can create.');
  if (!canRun) console.warn(`Skipped: user ${OTHER} cannot read ${RUN}.`);
});

test.skipIf(!canRun).for(some(ROWS, 14))('%s: %s', ([file, fault], {skip, expect: expecting}) => {
  if (OWNERS.test(fault) && !isRoot) skip('Only root can change an owner.');
  const home = temporaryDirectory();
  cpSync(template, home, {recursive: true, preserveTimestamps: true});
  const path = join(home, file === 'job' ? `jobs/${job}` : file);
  own(home);
  FAULTS[fault]!(path, file);
  if (!OWNERS.test(fault)) own(home);
  const doctor = run(home, ['doctor', '--json']);
  const change = run(home, CHANGES[file]!());
  const {checks} = JSON.parse(doctor.stdout) as {
    checks: {status: string; name: string; message: string; cure: string}[];
  };
  const problems = checks.filter(({status}) => status === 'problem');
  const seen = {doctor: problems.map(({name, message, cure}) => `${name}: ${message} ${cure}`), change: change.stderr};
  // A folder that takes no new files leaves the others usable; deliveries can be read from a file that takes no more.
  const isPartial = fault === 'in a read-only folder' || (file === 'deliveries.db' && fault === 'read-only');
  const fails = change.status !== 0 || isPartial;
  expecting(doctor.status, JSON.stringify(seen)).toBe(fails ? 6 : 0);
  if (change.status === 0) return;
  expecting([3, 14, 15], JSON.stringify(seen)).toContain(change.status);
  expecting(problems.length, JSON.stringify(seen)).toBeGreaterThan(0);
  if (OWNERS.test(fault)) expecting(seen.doctor.join()).toMatch(/belongs to (?:root|user 12346)/);
  // A folder in place of a file is a folder, and nothing is said that was not seen.
  expecting(change.stderr).not.toMatch(/It is a folder, or|bug/);
});
