// How fast deliveries are taken, stored and passed on, beside a bare node:http server that only checks the signature and answers,
// and beside one that also forwards genuine events and stores nothing (`relayed`): the upper bound for storing.
// Each server has a process of its own. They are measured in turn, several times over, and the figures are medians. Ends with 1
// when anything was lost, doubled or wrongly accepted.
//
// On a machine with few cores, the load generator takes its share of them: its cost is in every figure of requests a second, so
// the processor time (user and system, microseconds a request) of each process is shown beside it.
//
//   node bench/receiver.mjs [--events 10000] [--connections 64] [--rounds 3] [--only bare,relayed,stored,forwarded] [--json]

import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {Pool} from 'undici';
import {openDeliveries} from '../dist/webhooks/store/deliveries.js';
import {everyEvent} from '../dist/input/event-filter.js';
import {Forwarder} from '../dist/webhooks/forward/forwarder.js';
import {deliveryIds} from '../dist/webhooks/receive/delivery.js';
import {startReceiver} from '../dist/webhooks/receive/receiver.js';

const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';
const TOKEN = 'abcdefghijklmnopqrstuvwxyz012345';
/** Bytes of a body. */
const SIZE = 2048;
/** One event of each such number is sent twice, forged, or failed by the app at its first attempt. */
const ONE_IN = 20;

const sign = (body, timestamp, secret = SECRET) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');

function isGenuine(body, headers) {
  const [, timestamp, hex] = /^t=(\d+),te=([0-9a-f]{64}),li=$/.exec(headers['payrex-signature']) ?? [];
  return hex && timingSafeEqual(Buffer.from(hex, 'hex'), Buffer.from(sign(body, timestamp), 'hex'));
}

const roles = {
  /** Reads, checks the signature, answers. */
  bare() {
    return serve((body, headers, answer) => answer(isGenuine(body, headers) ? 200 : 401));
  },
  /** Returns the app's response. */
  relay(target) {
    const {origin, pathname: path} = new URL(target);
    const pool = new Pool(origin, {connections: 16});
    return serve(async (body, headers, answer) => {
      if (!isGenuine(body, headers)) return answer(401);
      const given = {'content-type': headers['content-type'], 'payrex-signature': headers['payrex-signature']};
      const response = await pool.request({path, method: 'POST', headers: given, body});
      await response.body.dump();
      answer(response.statusCode);
    });
  },
  /** Fails some at their first attempt, and records all events. */
  app() {
    const given = [];
    process.on('message', (message) => message === 'given' && process.send({given}));
    return serve((body, headers, answer) => {
      const {id} = JSON.parse(body.toString());
      const attempt = Number(headers['x-centavo-attempt']);
      const status = attempt === 1 && Number(id.slice(4)) % ONE_IN === 7 ? 500 : 200;
      given.push([id, attempt, status]);
      answer(status);
    });
  },
  /** @param target the URL to forward to, if any */
  async receiver(path, target) {
    const store = openDeliveries(path, {owner: {pid: process.pid, startedAt: Date.now()}});
    const forwarder = new Forwarder({
      targets: target ? [{url: new URL(target), accepts: everyEvent}] : [],
      store,
      now: Date.now,
      random: Math.random,
      concurrency: 16,
      retry: {first: 100, longest: 200},
    });
    const receiver = await startReceiver({
      store,
      profile: 'bench',
      token: TOKEN,
      secrets: () => [SECRET],
      now: Date.now,
      newId: deliveryIds(Date.now, (length) => randomBytes(length).toString('hex').slice(0, length)),
      targetsOf: (event) => forwarder.targetsOf(event),
      respond: (delivery) => forwarder.forward(delivery),
    });
    process.on('message', async (message) => {
      if (message === 'pending') process.send({pending: forwarder.pending()});
      if (message !== 'close') return;
      await receiver.close(1000);
      await forwarder.close();
      store.close();
      process.disconnect();
    });
    return receiver.port;
  },
};

/** A server that reads whole bodies. */
function serve(handle) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () =>
      handle(Buffer.concat(chunks), request.headers, (status) =>
        response.writeHead(status, {'content-length': 0}).end(),
      ),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

async function start(role, ...args) {
  const child = fork(fileURLToPath(import.meta.url), ['--role', role, ...args.map(String)]);
  const [{port}] = await once(child, 'message');
  const ask = async (question) => {
    const answered = once(child, 'message');
    child.send(question);
    return (await answered)[0];
  };
  return {
    port,
    ask,
    cpu: async () => microseconds((await ask('cpu')).cpu),
    close: async () => {
      const ended = once(child, 'exit');
      child.send('close');
      await ended;
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

const kindOf = (index) => (index % ONE_IN === 3 ? 'forged' : index % ONE_IN === 5 ? 'doubled' : 'plain');

/** Requests in sending order: a duplicate comes a little later. */
function requests(count) {
  const timestamp = Math.floor(Date.now() / 1000);
  const all = [];
  for (let index = 0; index < count; index += 1) {
    const event = {id: `evt_${index}`, resource: 'event', type: 'payment_intent.succeeded', livemode: false};
    const data = {id: `pi_${index}`, resource: 'payment_intent', amount: 125_050, description: ''};
    data.description = 'x'.repeat(SIZE - JSON.stringify({...event, data}).length);
    const body = Buffer.from(JSON.stringify({...event, data}));
    const kind = kindOf(index);
    const hex = sign(body, timestamp, kind === 'forged' ? 'whsk_somebody_else_altogether' : SECRET);
    const request = {kind, id: event.id, body, header: `t=${timestamp},te=${hex},li=`};
    all.push(request);
    if (kind === 'doubled') all.push(request);
  }
  return all;
}

const microseconds = ({user, system}) => user + system;

/** Measures the processor time of `work` for each request, in each server and in this process. */
async function withCpu(servers, count, work) {
  const now = async () => ({
    ...Object.fromEntries(
      await Promise.all(Object.entries(servers).map(async ([name, server]) => [name, await server.cpu()])),
    ),
    generator: microseconds(process.cpuUsage()),
  });
  const before = await now();
  const result = await work();
  const after = await now();
  const cpu = Object.fromEntries(
    Object.entries(after).map(([name, total]) => [name, Math.round((total - before[name]) / count)]),
  );
  return {...result, cpu};
}

/** Sends all requests over this number of connections. Latencies in milliseconds. */
async function drive(port, all, connections) {
  const pool = new Pool(`http://127.0.0.1:${port}`, {connections});
  const latencies = [];
  const statuses = [];
  let next = 0;
  const from = performance.now();
  const worker = async () => {
    for (let at = next++; at < all.length; at = next++) {
      const {body, header} = all[at];
      const began = performance.now();
      const {statusCode, body: answer} = await pool.request({
        path: `/${TOKEN}`,
        method: 'POST',
        headers: {'content-type': 'application/json', 'payrex-signature': header},
        body,
      });
      await answer.dump();
      latencies.push(performance.now() - began);
      statuses[at] = statusCode;
    }
  };
  await Promise.all(Array.from({length: connections}, worker));
  const seconds = (performance.now() - from) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (part) => Number(latencies[Math.floor(latencies.length * part)].toFixed(1));
  return {statuses, figures: {perSecond: Math.round(all.length / seconds), p50: at(0.5), p99: at(0.99)}};
}

/** The faults of a run; empty if none. */
function faults(all, statuses, stored, given) {
  const wrong = [];
  const genuine = new Set(all.filter(({kind}) => kind !== 'forged').map(({id}) => id));
  const originals = stored.filter(({duplicateOf}) => duplicateOf === undefined).map(({event}) => event.id);
  const known = new Set(originals);
  if (known.size !== originals.length) wrong.push('an event was stored as new twice');
  const missing = [...genuine].filter((id) => !known.has(id));
  if (missing.length > 0) wrong.push(`${missing.length} genuine events are not stored`);
  const forged = originals.filter((id) => !genuine.has(id));
  if (forged.length > 0) wrong.push(`${forged.length} forged events are stored`);
  const taken = all.filter(({kind}, index) => kind === 'forged' && statuses[index] !== 401);
  if (taken.length > 0) wrong.push(`${taken.length} forged events were not answered 401`);
  const odd = all.filter(({kind}, index) => kind !== 'forged' && ![200, 500].includes(statuses[index]));
  if (odd.length > 0) wrong.push(`${odd.length} genuine events were not answered by the app`);
  if (!given) return wrong;
  const attempts = new Map();
  for (const [id, attempt, status] of given) attempts.set(id, [...(attempts.get(id) ?? []), {attempt, status}]);
  for (const [id, made] of attempts) {
    if (!genuine.has(id)) wrong.push(`${id} is forged and was forwarded`);
    if (new Set(made.map(({attempt}) => attempt)).size !== made.length) wrong.push(`${id} came unmarked again`);
    if (made.filter(({status}) => status === 200).length !== 1) wrong.push(`${id} was not taken exactly once`);
  }
  if (attempts.size !== genuine.size) wrong.push(`${genuine.size - attempts.size} events were not forwarded`);
  return wrong;
}

async function measure(all, connections, forward) {
  const directory = mkdtempSync(join(tmpdir(), 'centavo-bench-'));
  const path = join(directory, 'deliveries.db');
  const app = forward ? await start('app') : undefined;
  const receiver = await start('receiver', path, ...(app ? [`http://127.0.0.1:${app.port}/hook`] : []));
  const {statuses, figures, cpu} = await withCpu({receiver, ...(app && {app})}, all.length, async () => {
    const driven = await drive(receiver.port, all, connections);
    while ((await receiver.ask('pending')).pending > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return driven;
  });
  await receiver.close();
  const given = app && (await app.ask('given')).given;
  await app?.kill();
  const store = openDeliveries(path, {owner: {pid: process.pid, startedAt: 0}});
  const wrong = faults(all, statuses, store.list({limit: all.length * 2}), given);
  store.close();
  rmSync(directory, {recursive: true});
  return {...figures, cpu, wrong};
}

async function measureBare(all, connections) {
  const bare = await start('bare');
  const {figures, cpu} = await withCpu({bare}, all.length, () => drive(bare.port, all, connections));
  await bare.kill();
  return {...figures, cpu, wrong: []};
}

async function measureRelay(all, connections) {
  const app = await start('app');
  const relay = await start('relay', `http://127.0.0.1:${app.port}/hook`);
  const {figures, cpu} = await withCpu({relay, app}, all.length, () => drive(relay.port, all, connections));
  await Promise.all([relay.kill(), app.kill()]);
  return {...figures, cpu, wrong: []};
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Each figure is the median of all rounds; faults are from all rounds. */
const summary = (rounds) => ({
  perSecond: median(rounds.map(({perSecond}) => perSecond)),
  p50: median(rounds.map(({p50}) => p50)),
  p99: median(rounds.map(({p99}) => p99)),
  cpu: Object.fromEntries(Object.keys(rounds[0].cpu).map((name) => [name, median(rounds.map(({cpu}) => cpu[name]))])),
  wrong: rounds.flatMap(({wrong}) => wrong),
});

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    role: {type: 'string'},
    events: {type: 'string', default: '10000'},
    connections: {type: 'string', default: '64'},
    rounds: {type: 'string', default: '3'},
    only: {type: 'string', default: 'bare,relayed,stored,forwarded'},
    json: {type: 'boolean', default: false},
  },
});

if (values.role) {
  process.on('message', (message) => message === 'cpu' && process.send({cpu: process.cpuUsage()}));
  process.send({port: await roles[values.role](...positionals)});
} else {
  const connections = Number(values.connections);
  const measures = {
    bare: (all) => measureBare(all, connections),
    relayed: (all) => measureRelay(all, connections),
    stored: (all) => measure(all, connections, false),
    forwarded: (all) => measure(all, connections, true),
  };
  const names = values.only.split(',');
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const all = requests(Number(values.events));
    for (const name of names) measured[name].push(await measures[name](all));
  }
  const results = Object.fromEntries(
    Object.entries(measured).map(([name, rounds]) => {
      const ratios = measured.bare && rounds.map(({perSecond}, round) => perSecond / measured.bare[round].perSecond);
      return [name, {...summary(rounds), ...(ratios && {ratio: Number(median(ratios).toFixed(2))})}];
    }),
  );
  if (values.json) console.log(JSON.stringify(results));
  else {
    for (const [name, {perSecond, p50, p99, ratio, cpu, wrong}] of Object.entries(results)) {
      const times = Object.entries(cpu).map(([process, time]) => `${process} ${time}`);
      console.log(
        `${name.padEnd(10)} ${String(perSecond).padStart(6)}/s  p50 ${p50} ms  p99 ${p99} ms  ` +
          `${ratio === undefined ? '' : `×${ratio.toFixed(2)}  `}CPU µs: ${times.join(', ')}`,
      );
      for (const fault of wrong.slice(0, 10)) console.log(`           WRONG: ${fault}`);
    }
  }
  if (Object.values(results).some(({wrong}) => wrong.length > 0)) process.exitCode = 1;
}
