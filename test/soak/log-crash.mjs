// Kills processes that write to one sandbox, of one or several Node versions, and copies its files while all are stopped.
// Checks that the file and each copy have all acknowledged customers, and are intact.
//
//   node test/soak/log-crash.mjs [--kills 1000] [--seconds 60] [--nodes /path/to/node20,/path/to/node24] [--seed 1]

import {fork} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {openSandbox} from '../../dist/sandbox/sandbox.js';
import {openDatabase} from '../../dist/storage/sqlite.js';

/** Integers below a limit, in a fixed order. */
function randomBelow(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Creates customers until it is killed, and writes down each one that was acknowledged. */
async function write(path, name, seed) {
  const acknowledged = openSync(`${path}.${name}`, 'a');
  const random = randomBelow(Number(seed));
  for (let number = 0; ;) {
    const sandbox = openSandbox({path});
    const headers = {authorization: `Basic ${btoa(`${sandbox.keys.secret}:`)}`, 'content-type': 'application/json'};
    for (let left = 1 + random(60); left > 0; left -= 1) {
      const id = `${name}-${number++}`;
      const body = Buffer.from(JSON.stringify({name: id, email: `${id}@example.com`, currency: 'PHP'}));
      const {status} = await sandbox.handle({method: 'POST', path: '/customers', query: '', headers, body});
      if (status !== 200) throw new Error(`HTTP ${status}`);
      writeSync(acknowledged, `${id}\n`);
      process.send?.('written');
    }
    sandbox.close();
  }
}

async function main() {
  const {values} = parseArgs({
    options: {
      kills: {type: 'string', default: '1000'},
      seconds: {type: 'string', default: '3600'},
      nodes: {type: 'string', default: process.execPath},
      seed: {type: 'string', default: process.env.CENTAVO_SEED ?? '1'},
    },
  });
  const [nodes, until] = [values.nodes.split(','), Date.now() + Number(values.seconds) * 1000];
  const random = randomBelow(Number(values.seed));
  console.log(`seed ${values.seed}, ${process.version}, ${nodes.length} Node versions write`);
  const directory = mkdtempSync(join(tmpdir(), 'centavo-log-crash-'));
  const faults = [];
  const counts = {kills: 0, copies: 0, logs: 0, acknowledged: 0};
  let started = 0;

  async function start(path) {
    const name = `w${started}`;
    const words = ['--write', path, name, String(random(2 ** 31))];
    const child = fork(fileURLToPath(import.meta.url), words, {execPath: nodes[started++ % nodes.length]});
    const end = once(child, 'exit');
    const isRunning = await Promise.race([once(child, 'message').then(() => true), end.then(() => false)]);
    if (!isRunning) faults.push(`${name} failed`);
    return {name, child, end};
  }

  const stateOf = ({pid}) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];
  async function stop({child}) {
    child.kill('SIGSTOP');
    while (child.exitCode === null && stateOf(child) !== 'T') await new Promise(setImmediate);
  }

  const acknowledgedBy = (path, names) =>
    names.flatMap((name) => readFileSync(`${path}.${name}`, 'utf8').split('\n').filter(Boolean));

  function check(path, names, when) {
    const database = openDatabase(path, {journal: 'WAL'});
    const [{integrity_check: found}] = database.all('PRAGMA integrity_check');
    const sql = "SELECT json_extract(body, '$.name') AS name FROM objects WHERE resource = 'customer'";
    const stored = new Set(database.all(sql).map((row) => row.name));
    database.close();
    const lost = names.filter((name) => !stored.has(name));
    if (found !== 'ok' || lost.length > 0) faults.push(`${when}: integrity ${found}, lost ${lost.join(' ')}`);
  }

  while (counts.kills < Number(values.kills) && Date.now() < until && faults.length === 0) {
    // A new file now and then, since the checks read all of it.
    const path = join(directory, `sandbox${counts.kills}.db`);
    const names = [];
    const begin = async () => {
      const writer = await start(path);
      names.push(writer.name);
      return writer;
    };
    const writers = [];
    for (let count = Math.max(2, nodes.length * 2); count > 0; count -= 1) writers.push(await begin());
    for (let left = 50; left > 0 && counts.kills < Number(values.kills) && Date.now() < until; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, random(40)));
      for (const writer of writers) await stop(writer);
      const copy = join(directory, 'copy.db');
      const ends = ['', '-journal', '-wal', ...(random(2) === 1 ? ['-shm'] : [])];
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(copy + end, {force: true});
      for (const end of ends) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
      const acknowledged = acknowledgedBy(path, names);
      const victim = random(writers.length);
      writers[victim].child.kill('SIGKILL');
      for (const {child} of writers) child.kill('SIGCONT');
      await writers[victim].end;
      counts.kills += 1;
      counts.copies += 1;
      if (existsSync(`${copy}-wal`)) counts.logs += 1;
      check(copy, acknowledged, `copy ${counts.copies}`);
      writers[victim] = await begin();
    }
    for (const {child, end} of writers) {
      if (child.exitCode !== null) faults.push(`a writer ended with ${child.exitCode}`);
      child.kill('SIGKILL');
      await end;
    }
    const acknowledged = acknowledgedBy(path, names);
    counts.acknowledged += acknowledged.length;
    check(path, acknowledged, `file at kill ${counts.kills}`);
  }
  rmSync(directory, {recursive: true});
  console.log(JSON.stringify(counts));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

const [first, ...rest] = process.argv.slice(2);
await (first === '--write' ? write(...rest) : main());
