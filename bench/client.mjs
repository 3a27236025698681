// How fast the client is beside a bare undici pool that parses the same JSON: reads over kept connections, and writes over a new
// connection each, as the client makes them for safety. The server has a process of its own. Both are measured in turn, several
// times over; the figures are medians. Ends with 1 when a ratio of times is over the bound.
//
//   node bench/client.mjs [--requests 2000] [--rounds 7] [--bound 1.15] [--json]

import {fork} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {Pool} from 'undici';
import {createClient} from '../dist/client/client.js';

const AT_ONCE = 32;
const KEY = 'sk_test_0123456789abcdefghijklmnopqrstuv';
const ID = 'cus_0123456789abcdefghijklmnopqrstuv';
const PARAMS = {name: 'Juan dela Cruz', email: 'juan@example.com', currency: 'PHP', metadata: {order: '1042'}};

const customer = (id) => ({
  id,
  resource: 'customer',
  billing: {address: {city: 'Makati', country: 'PH', line1: '1 Ayala Avenue', postal_code: '1200'}, phone: null},
  billing_statement_prefix: 'JEEPNEY',
  next_billing_statement_sequence_number: '3',
  ...PARAMS,
  livemode: false,
  created_at: 1_790_000_000,
  updated_at: 1_790_000_000,
});
const page = () => ({
  resource: 'list',
  data: Array.from({length: 10}, (_, index) => customer(`${ID.slice(0, -1)}${index}`)),
  has_more: false,
});

function serve() {
  const [one, list] = [customer(ID), page()].map((body) => Buffer.from(JSON.stringify(body)));
  const server = createServer({keepAliveTimeout: 60_000}, (request, response) => {
    request.resume().on('end', () => {
      const body = request.method === 'GET' && request.url === '/customers' ? list : one;
      response.writeHead(200, {'content-type': 'application/json', 'content-length': body.length}).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({port: server.address().port}));
}

/** Runs this number of requests, a few at once. @returns microseconds of wall time and of this process's processor time for each */
async function timed(request, count, atOnce) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await request();
  };
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({length: atOnce}, worker));
  const {user, system} = process.cpuUsage(cpuBefore);
  return {time: ((performance.now() - began) * 1000) / count, cpu: (user + system) / count};
}

function bare(pool, method, path, body) {
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`,
    'user-agent': 'centavo',
    ...(body && {'content-type': 'application/json'}),
  };
  return async () => {
    // A write has a connection of its own.
    const options = {path, method, headers, body: body && JSON.stringify(body), reset: method === 'POST'};
    const answer = await pool.request(options);
    return answer.body.json();
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare({ours, yardstick, atOnce}, requests, rounds) {
  const [a, b] = [[], []];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const figures = [await timed(yardstick, requests, atOnce), await timed(ours, requests, atOnce)];
    if (round === 0) continue;
    a.push(figures[0]);
    b.push(figures[1]);
  }
  const ratio = (of) => Number(median(b.map((figures, round) => figures[of] / a[round][of])).toFixed(2));
  const each = (side) => ({
    time: Math.round(median(side.map(({time}) => time))),
    cpu: Math.round(median(side.map(({cpu}) => cpu))),
  });
  return {bare: each(a), client: each(b), ratio: {time: ratio('time'), cpu: ratio('cpu')}};
}

const {values} = parseArgs({
  options: {
    role: {type: 'string'},
    requests: {type: 'string', default: '2000'},
    rounds: {type: 'string', default: '7'},
    bound: {type: 'string', default: '1.15'},
    json: {type: 'boolean', default: false},
  },
});

if (values.role === 'server') serve();
else {
  const server = fork(fileURLToPath(import.meta.url), ['--role', 'server']);
  const [{port}] = await once(server, 'message');
  const origin = `http://127.0.0.1:${port}`;
  const pool = new Pool(origin, {connections: AT_ONCE});
  const client = createClient({key: KEY, baseUrl: origin});
  const get = {ours: () => client.customers.get(ID), yardstick: bare(pool, 'GET', `/customers/${ID}`)};
  const list = {ours: async () => client.customers.list(), yardstick: bare(pool, 'GET', '/customers')};
  const create = {ours: () => client.customers.create(PARAMS), yardstick: bare(pool, 'POST', '/customers', PARAMS)};
  const measures = {
    'GET one, in turn': {...get, atOnce: 1},
    [`GET one, ${AT_ONCE} at a time`]: {...get, atOnce: AT_ONCE},
    'GET ten, in turn': {...list, atOnce: 1},
    [`GET ten, ${AT_ONCE} at a time`]: {...list, atOnce: AT_ONCE},
    'POST, in turn': {...create, atOnce: 1},
    [`POST, ${AT_ONCE} at a time`]: {...create, atOnce: AT_ONCE},
  };
  const results = {};
  for (const [name, measure] of Object.entries(measures))
    results[name] = await compare(measure, Number(values.requests), Number(values.rounds));
  await Promise.all([pool.close(), client.close()]);
  server.kill();
  if (values.json) console.log(JSON.stringify(results));
  else
    for (const [name, {bare, client, ratio}] of Object.entries(results)) {
      const line = `µs ${bare.time} → ${client.time}  ×${ratio.time.toFixed(2)}   CPU µs ${bare.cpu} → ${client.cpu}  ×${ratio.cpu.toFixed(2)}`;
      console.log(`${name.padEnd(24)} ${line}${ratio.time > Number(values.bound) ? '   OVER' : ''}`);
    }
  if (Object.values(results).some(({ratio}) => ratio.time > Number(values.bound))) process.exitCode = 1;
}
