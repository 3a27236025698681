// Records with strace what a receiver writes, syncs and answers, and rebuilds the disk as a power cut could leave it: everything that
// was synced, and any part of the rest. Each such disk must hold each acknowledged event, and the number of each attempt that
// reached the app. Needs Linux, strace, and a Node whose SQLite may use a write-ahead log.
//
//   node test/soak/receiver-power-cut.mjs [--events 1500] [--cuts 300] [--seed 1] [--failed-sync 40]

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, createReadStream, mkdtempSync, openSync, readSync, rmSync, writeFileSync} from 'node:fs';
import {Agent, createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {openDatabase} from '../../dist/storage/sqlite.js';
import {post, SECRET, TOKEN} from '../support/webhooks/sender.mjs';

const SENDERS = 12;
/** Bytes that a disk writes as a whole. */
const SECTOR = 4096;

const {values} = parseArgs({
  options: {
    events: {type: 'string', default: '1500'},
    cuts: {type: 'string', default: '300'},
    seed: {type: 'string', default: process.env.CENTAVO_SEED ?? '1'},
    /** Number of the sync that fails, in each thread that syncs. */
    'failed-sync': {type: 'string'},
  },
});
const directory = mkdtempSync(join(tmpdir(), 'centavo-power-'));
const path = join(directory, 'deliveries.db');
const trace = join(directory, 'trace');
process.on('exit', () => rmSync(directory, {recursive: true}));

let state = Number(values.seed);
/** Mulberry32. @returns a number from 0 to 1 */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Sends all events, again until each is acknowledged, to a receiver under strace. The app fails some first attempts. */
async function record() {
  const app = createServer((incoming, response) => {
    incoming.resume();
    const isFailing = incoming.headers['x-centavo-attempt'] === '1' && random() < 0.2;
    incoming.on('end', () => response.writeHead(isFailing ? 500 : 200, {'content-length': 0}).end());
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const failing = values['failed-sync'];
  const child = spawn(
    'strace',
    [
      ...['-f', '-qq', '-y', '-xx', '-s', '20000000', '-o', trace],
      ...['-e', 'trace=read,write,writev,pwrite64,ftruncate,fsync,fdatasync'],
      ...(failing ? ['-e', `inject=fdatasync:error=EIO:when=${failing}`] : []),
      process.execPath,
      fileURLToPath(new URL('../support/webhooks/receiver-process.mjs', import.meta.url)),
      ...[path, `http://127.0.0.1:${app.address().port}/hook`, SECRET, TOKEN],
    ],
    {stdio: ['ignore', 'inherit', 'inherit', 'ipc']},
  );
  const ended = once(child, 'exit');
  const [port] = await once(child, 'message');
  const refused = {count: 0};
  let next = 0;
  const send = async () => {
    const agent = new Agent({keepAlive: true, maxSockets: 1});
    while (next < Number(values.events)) {
      const id = `evt_${String(next++).padStart(8, '0')}`;
      for (let status; status !== 200 && status !== 500;) {
        status = await post(agent, port, id, {description: 'x'.repeat(2000)});
        if (status === 503) refused.count += 1;
      }
    }
    agent.destroy();
  };
  await Promise.all(Array.from({length: SENDERS}, send));
  // Its first word is the receiver's process.
  const start = Buffer.alloc(20);
  const opened = openSync(trace);
  readSync(opened, start);
  closeSync(opened);
  process.kill(parseInt(start.toString(), 10), 'SIGKILL');
  await ended;
  app.close();
  app.closeAllConnections();
  return refused.count;
}

/** Yields calls as they begin and end. */
async function* calls() {
  const begun = new Map();
  for await (const line of createInterface({input: createReadStream(trace)})) {
    const [, pid, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    const cut = /^(.*) <unfinished \.\.\.>$/s.exec(rest);
    const text = resumed ? begun.get(pid) + resumed[1] : (cut?.[1] ?? rest);
    const [, name, fd, file, given] = /^(\w+)\((\d+)<([^>]*)>(.*)$/s.exec(text) ?? [];
    if (name === undefined) continue;
    if (cut) begun.set(pid, text);
    const call = {pid, name, fd, file: file.replaceAll(/\\x(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))};
    if (!resumed) yield {...call, phase: 'begin', given};
    if (cut) continue;
    const result = Number(/= (-?\d+)[^=]*$/.exec(given)?.[1]);
    yield {...call, phase: 'end', given, result};
  }
}

const bytesOf = (given) =>
  Buffer.from([...given.matchAll(/"([^"]*)"/g)].map(([, hex]) => hex.replaceAll('\\x', '')).join(''), 'hex');

class File {
  synced = Buffer.alloc(0);
  /** Writes since, by sector. */
  pending = [];
  number = 0;

  write(bytes, offset) {
    this.number += 1;
    for (let from = 0; from < bytes.length;) {
      const to = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR));
      this.pending.push({number: this.number, bytes: bytes.subarray(from, to), offset: offset + from});
      from = to;
    }
  }

  truncate(size) {
    this.number += 1;
    this.pending.push({number: this.number, size});
  }

  /** @param number of the last write that is on disk */
  sync(number) {
    this.synced = applied(
      this.synced,
      this.pending.filter((each) => each.number <= number),
    );
    this.pending = this.pending.filter((each) => each.number > number);
  }

  /** The file after a power cut. */
  cut(share) {
    return applied(
      this.synced,
      this.pending.filter(() => random() < share),
    );
  }
}

function applied(before, writes) {
  const end = Math.max(before.length, ...writes.map(({bytes, offset}) => (bytes ? offset + bytes.length : 0)));
  const file = Buffer.alloc(end);
  before.copy(file);
  let {length} = before;
  for (const {bytes, offset, size} of writes) {
    if (bytes) bytes.copy(file, offset);
    length = bytes ? Math.max(length, offset + bytes.length) : size;
  }
  return file.subarray(0, length);
}

const faults = [];
const counts = {
  acknowledgements: 0,
  attempts: 0,
  early: 0,
  syncs: 0,
  failedSyncs: 0,
  checkpoints: 0,
  restarts: -1,
  cuts: 0,
};
const files = new Map([path, `${path}-wal`].map((name) => [name, new File()]));
const log = files.get(`${path}-wal`);
/** Event id to the number of the write of the log that has it first. */
const written = new Map();
const acknowledged = new Set();
/** Event id to the last attempt that began. */
const attempted = new Map();
let syncedLog = 0;

function cut() {
  counts.cuts += 1;
  const at = join(directory, 'cut.db');
  const share = [0, 0.2, 0.5, 0.8, 1][Math.floor(random() * 5)];
  for (const [name, file] of files) writeFileSync(name.replace(path, at), file.cut(share));
  rmSync(`${at}-shm`, {force: true});
  const database = openDatabase(at, {journal: 'WAL'});
  const stored = new Set(database.all('SELECT event_id AS id FROM deliveries').map(({id}) => id));
  const attempts = new Map(
    database
      .all('SELECT event_id AS id, attempts FROM forwards JOIN deliveries ON id = delivery_id')
      .map(({id, attempts}) => [id, attempts]),
  );
  const integrity = database.get('PRAGMA integrity_check').integrity_check;
  database.close();
  const lost = [...acknowledged].filter((id) => !stored.has(id));
  const unnumbered = [...attempted].filter(([id, number]) => !(attempts.get(id) >= number));
  if (integrity !== 'ok') faults.push(`cut ${counts.cuts}: the store is damaged: ${integrity}`);
  if (lost.length > 0) faults.push(`cut ${counts.cuts}: ${lost.length} acknowledged events are lost, as ${lost[0]}`);
  if (unnumbered.length > 0)
    faults.push(`cut ${counts.cuts}: the number of an attempt is lost, as of ${unnumbered[0]}`);
}

const probe = openDatabase(join(directory, 'probe.db'), {journal: 'WAL'});
probe.close();
if (!probe.hasLog) {
  console.log(`Without a log, as on Node ${process.versions.node} here, SQLite itself syncs each commit.`);
  process.exit();
}
const refused = await record();
const chance = Number(values.cuts) / (Number(values.events) * 4);
const received = new Map();
const sentTo = new Map();
const syncing = new Map();
const positions = new Map();
for await (const {pid, name, fd, file, phase, given, result} of calls()) {
  const isSync = name === 'fsync' || name === 'fdatasync';
  if (files.has(file)) {
    const on = files.get(file);
    if (/^p?write/.test(name) && phase === 'end') {
      const bytes = bytesOf(given).subarray(0, result);
      // Only a log that is written again, from its start, is written without offsets.
      const position = positions.get(fd) ?? 0;
      if (name === 'write') positions.set(fd, position + result);
      const offset = name === 'write' ? position : Number(/, (\d+)\)[^)]*$/.exec(given)[1]);
      on.write(bytes, offset);
      if (on === log && name === 'pwrite64' && offset === 0) counts.restarts += 1;
      if (on === log)
        for (const [id] of bytes.toString('latin1').matchAll(/evt_\d{8}/g))
          if (!written.has(id)) written.set(id, on.number);
      // In a checkpoint.
      if (on !== log && acknowledged.size > 0 && random() < chance) cut();
    } else if (name === 'ftruncate' && phase === 'end') on.truncate(Number(/, (\d+)\)/.exec(given)[1]));
    else if (isSync && phase === 'begin') syncing.set(pid, on.number);
    else if (isSync && result === 0) {
      if (name === 'fsync') positions.delete(fd);
      on.sync(syncing.get(pid));
      if (on === log) {
        counts.syncs += 1;
        syncedLog = Math.max(syncedLog, syncing.get(pid));
      } else if (acknowledged.size > 0) counts.checkpoints += 1;
    } else if (isSync && result === -1) {
      counts.failedSyncs += 1;
      // As Linux does: these pages count as written, and are not.
      on.pending = on.pending.filter((each) => each.number > syncing.get(pid));
    }
  } else if (name === 'read' && phase === 'end' && result > 0) {
    const [id] = /evt_\d{8}/.exec(bytesOf(given).toString('latin1')) ?? [];
    if (id) received.set(fd, id);
  } else if (name.startsWith('write') && phase === 'begin' && given.includes('\\x48\\x54\\x54\\x50')) {
    const text = bytesOf(given).toString('latin1');
    const [, attempt] = /^x-centavo-attempt: (\d+)/im.exec(text) ?? [];
    if (attempt) sentTo.set(fd, Number(attempt));
    const [id] = /evt_\d{8}/.exec(text) ?? [];
    if (attempt && id) {
      counts.attempts += 1;
      attempted.set(id, Number(attempt));
    }
    // The app's refusal is passed on, but the event is stored.
    if (/^HTTP\/1\.1 (?:200|500)/.test(text)) {
      const event = received.get(fd);
      counts.acknowledgements += 1;
      if (!(written.get(event) <= syncedLog)) counts.early += 1;
      acknowledged.add(event);
    } else if (!attempt) continue;
    if (random() < chance) cut();
  }
}
if (counts.early > 0) faults.push(`${counts.early} acknowledgements came before their sync`);
if (acknowledged.size !== Number(values.events)) faults.push(`only ${acknowledged.size} acknowledgements were seen`);
console.log(
  `seed ${values.seed}: ${counts.acknowledgements} acknowledgements, ${counts.early} of them before their sync; ` +
    `${counts.attempts} attempts, ${counts.syncs} syncs of the log, ${counts.failedSyncs} failed, ${refused} events refused, ` +
    `${counts.checkpoints} checkpoints, ${counts.restarts} restarts of the log, ${counts.cuts} power cuts`,
);
for (const fault of faults.slice(0, 20)) console.log(`WRONG: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
