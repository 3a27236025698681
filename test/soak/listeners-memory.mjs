// Checks that the memory of two busy listeners stays flat: a served sandbox, two named listeners, and two apps that refuse a tenth of first attempts.
// Each process collects its garbage before it is measured, and the free part of the heap that V8 keeps does not count: both are up to
// 30 MB, which come and go.
// node test/soak/listeners-memory.mjs [--minutes 60]

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const {values} = parseArgs({options: {minutes: {type: 'string', default: '60'}}});
const minutes = Number(values.minutes);
/** Events per second. */
const RATE = 20;
/** Maximum growth in MB from the second to the last quarter. The first quarter fills bounded caches. */
const GROWTH = 12;

const run = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'centavo-listeners-'));
const env = {...process.env, CENTAVO_DATA_DIR: directory, CENTAVO_CONFIG_DIR: directory};
const programs = [];

const probe = join(directory, 'probe.cjs');
writeFileSync(
  probe,
  `process.on('message', () => {
    gc();
    const {rss, heapTotal, heapUsed} = process.memoryUsage();
    process.send(rss - (heapTotal - heapUsed));
  });
  process.channel.unref();`,
);

/** Starts the program. Resolves with its first record; `onRecord` gets the others. */
function start(words, onRecord = () => {}) {
  const child = spawn(process.execPath, ['--expose-gc', '--require', probe, run, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  programs.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${words.join(' ')} ended with ${code}.`)));
    createInterface({input: child.stdout}).on('line', (line) => {
      const record = JSON.parse(line);
      resolve({child, record});
      onRecord(record);
    });
  });
}

async function app() {
  const seen = new Set();
  const counts = {answered: 0, refused: 0};
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const {id} = JSON.parse(Buffer.concat(chunks).toString());
    const isFirst = !seen.has(id);
    seen.add(id);
    if (seen.size > 1000) seen.delete(seen.values().next().value);
    const isRefused = isFirst && counts.answered % 10 === 0;
    counts.answered++;
    if (isRefused) counts.refused++;
    response.writeHead(isRefused ? 500 : 200).end(isRefused ? `{"error":"${'x'.repeat(4000)}"}` : 'ok');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {port: server.address().port, counts, close: () => server.close()};
}

/** MB. */
async function memoryOf(child) {
  child.send('measure');
  const [bytes] = await once(child, 'message');
  return bytes / 1024 ** 2;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

try {
  const {child: server, record} = await start(['sandbox', 'serve', '--port', '0', '--json', '-q']);
  const apps = [await app(), await app()];
  const accepted = [0, 0];
  const listeners = [];
  for (const [index, {port}] of apps.entries()) {
    const words = ['webhooks', 'listen', '--json', '--name', `shop${index}`, '--forward-to', `${port}/hook`];
    const {child} = await start(words, ({type, status}) => {
      if (type === 'forward' && status === 200) accepted[index]++;
    });
    listeners.push(child);
  }
  const authorization = `Basic ${Buffer.from(`${record.secret_key}:`).toString('base64')}`;
  const post = async (path, fields) => {
    const response = await fetch(`${record.url}${path}`, {
      method: 'POST',
      headers: {authorization, 'content-type': 'application/json'},
      body: JSON.stringify(fields),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const {id: customer_id} = await post('/customers', {name: 'Juan', email: 'juan@example.ph', currency: 'PHP'});
  const processes = {server, first: listeners[0], second: listeners[1]};
  const samples = Object.fromEntries(Object.keys(processes).map((name) => [name, []]));
  const end = performance.now() + minutes * 60_000;
  let made = 0;
  let nextSample = performance.now();
  while (performance.now() < end) {
    const began = performance.now();
    await post('/billing_statements', {customer_id, currency: 'PHP', payment_settings: {payment_methods: ['card']}});
    made++;
    if (began >= nextSample) {
      nextSample += 30_000;
      for (const [name, child] of Object.entries(processes)) samples[name].push(await memoryOf(child));
      const now = Object.values(samples).map((each) => `${each.at(-1).toFixed(0)} MB`);
      console.log(`${made} statements, accepted ${accepted.join(' and ')}; server, listeners: ${now.join(', ')}`);
    }
    await sleep(Math.max(0, 1000 / RATE - (performance.now() - began)));
  }
  const grown = Object.entries(samples).map(([name, each]) => {
    const quarter = Math.floor(each.length / 4);
    const [early, late] = [median(each.slice(quarter, 2 * quarter + 1)), median(each.slice(-quarter - 1))];
    console.log(`${name}: ${early.toFixed(1)} MB in the second quarter, ${late.toFixed(1)} MB in the last.`);
    return late - early;
  });
  console.log(
    `${made} statements; accepted ${accepted.join(' and ')}; refused ${apps.map(({counts}) => counts.refused).join(' and ')}.`,
  );
  const isFlat = grown.slice(1).every((megabytes) => megabytes < GROWTH);
  if (!isFlat || accepted.some((count) => count < made * 0.95)) process.exitCode = 1;
  console.log(process.exitCode ? 'NOT well.' : 'Well: the memory of the listeners is flat.');
  for (const each of apps) each.close();
} finally {
  const ends = programs.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of programs.toReversed()) child.kill('SIGINT');
  await Promise.all(ends);
  rmSync(directory, {recursive: true, force: true});
}
