// How long a test waits for its sandbox, with 10,000 objects: medians of 20. Sets a failing exit code above the bounds.
//
//   node bench/kit.mjs [objects]

import {createSandbox} from '../dist/index.js';
import {median} from './processes.mjs';

const OBJECTS = Number(process.argv[2] ?? 10_000);
const RUNS = 20;
const CHANGES = 20;

const sandbox = await createSandbox({random: 1});
const {customers} = sandbox.client;
const create = (number) =>
  customers.create({name: `Customer ${number}`, email: `c${number}@example.com`, currency: 'PHP'});
for (let number = 0; number < OBJECTS; number += 1) await create(number);
const full = await sandbox.snapshot();
const {data} = await customers.list({limit: 100});

/** @param max milliseconds @param before is not measured */
async function measure(name, max, work, before = async () => {}) {
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    await before();
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  const middle = median(times);
  if (middle > max) process.exitCode = 1;
  const figures = `median ${middle.toFixed(1)} ms, most ${Math.max(...times).toFixed(1)} ms`;
  console.log(`${middle > max ? 'SLOW' : 'ok  '}  ${name.padEnd(32)}  ${figures}, at most ${max}`);
}

const restore = () => sandbox.restore(full);
async function change() {
  for (const {id} of data.slice(0, CHANGES)) await customers.update(id, {name: 'Changed'});
}

await measure('createSandbox and close', 25, async () => (await createSandbox()).close());
await measure('snapshot', 50, () => sandbox.snapshot());
await measure('restore, no changes', 50, restore);
await measure(`restore, ${CHANGES} changes`, 50, restore, change);
await measure('restore after a reset', 130, restore, () => sandbox.reset());
await sandbox.close();
