// Kills two receivers on one store with SIGKILL, again and again, while events arrive.
// Then checks that acknowledged events are stored, that stored events reach the app after a restart, and that duplicates are marked.
//
//   node test/soak/receiver-crash.mjs [--kills 200]

import {fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {Agent, createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {openDeliveries} from '../../dist/webhooks/store/deliveries.js';
import {openDatabase} from '../../dist/storage/sqlite.js';
import {post, SECRET, TOKEN} from '../support/webhooks/sender.mjs';

const SENDERS = 12;

const {values} = parseArgs({options: {kills: {type: 'string', default: '200'}}});
const kills = Number(values.kills);
const directory = mkdtempSync(join(tmpdir(), 'centavo-crash-'));
const path = join(directory, 'deliveries.db');

/** Event id to the attempts that reached the app. */
const reached = new Map();
const faults = [];
const app = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const {id} = JSON.parse(Buffer.concat(chunks).toString());
    const attempt = incoming.headers['x-centavo-attempt'];
    const before = reached.get(id) ?? [];
    if (before.includes(attempt)) faults.push(`${id} reached the app twice as attempt ${attempt}`);
    reached.set(id, [...before, attempt]);
    response.writeHead(200, {'content-length': 0}).end();
  });
});
app.listen(0, '127.0.0.1');
await once(app, 'listening');
const target = `http://127.0.0.1:${app.address().port}/hook`;

async function start() {
  const child = fork(fileURLToPath(new URL('../support/webhooks/receiver-process.mjs', import.meta.url)), [
    path,
    target,
    SECRET,
    TOKEN,
  ]);
  const [port] = await once(child, 'message');
  let acknowledge;
  const busy = new Promise((resolve) => (acknowledge = resolve));
  return {child, port, busy, acknowledge};
}

let sent = 0;
const acknowledged = new Set();
const stopping = new AbortController();
const receivers = await Promise.all([start(), start()]);

/** Sends events to any running receiver, and resends what was not acknowledged. */
async function send(which) {
  const agent = new Agent({keepAlive: true, maxSockets: 1});
  while (!stopping.signal.aborted) {
    const id = `evt_${(sent += 1)}`;
    for (;;) {
      const receiver = receivers[which % 2];
      const status = await post(agent, receiver.port, id);
      if (status === 200) {
        acknowledged.add(id);
        receiver.acknowledge();
      }
      if (status === 200 || stopping.signal.aborted) break;
    }
  }
  agent.destroy();
}

const from = Date.now();
const senders = Array.from({length: SENDERS}, (_, which) => send(which));
/** Kills one of the two at a random moment of its work, and restarts it. */
async function torment(which, times) {
  for (let kill = 0; kill < times; kill += 1) {
    const {child, busy} = receivers[which];
    await busy;
    await new Promise((resolve) => setTimeout(resolve, (kill * 37 + which * 11) % 120));
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    receivers[which] = await start();
  }
}
await Promise.all([torment(0, Math.ceil(kills / 2)), torment(1, Math.floor(kills / 2))]);
stopping.abort();
for (const {child} of receivers) {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
await Promise.all(senders);

const last = await start();
for (;;) {
  last.child.send('pending');
  const [pending] = await once(last.child, 'message');
  if (pending === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
last.child.kill('SIGKILL');
await once(last.child, 'exit');
app.close();
app.closeAllConnections();

const store = openDeliveries(path, {owner: {pid: process.pid, startedAt: 0}});
const stored = store.list({limit: 10_000_000}).filter(({duplicateOf}) => duplicateOf === undefined);
const ids = new Set(stored.map(({event}) => event.id));
store.close();
const database = openDatabase(path);
const {integrity_check: integrity} = database.get('PRAGMA integrity_check');
database.close();
rmSync(directory, {recursive: true});

const lost = [...acknowledged].filter((id) => !ids.has(id));
const unforwarded = [...ids].filter((id) => !reached.has(id));
if (integrity !== 'ok') faults.push(`the store is damaged: ${integrity}`);
if (lost.length > 0) faults.push(`${lost.length} acknowledged events are lost`);
if (ids.size !== stored.length) faults.push(`${stored.length - ids.size} events were stored as new twice`);
if (unforwarded.length > 0) faults.push(`${unforwarded.length} stored events never reached the app`);
const again = [...reached.values()].filter(({length}) => length > 1).length;
const seconds = ((Date.now() - from) / 1000).toFixed(1);
console.log(
  `${kills} kills in ${seconds} s: ${acknowledged.size} acknowledged, ${ids.size} stored, ${again} reached the app more than once, each time marked`,
);
for (const fault of faults.slice(0, 20)) console.log(`WRONG: ${fault}`);
process.exitCode = faults.length > 0 || acknowledged.size === 0 ? 1 : 0;
