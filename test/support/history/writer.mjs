// A process that writes a number of records, or writes until it is killed (at once, or for each byte of stdin) or refused.

import {rmSync, readSync, writeSync} from 'node:fs';
import {randomBytes} from 'node:crypto';
import {History} from '../../../dist/history/history.js';

const [path, task, name, detail] = process.argv.slice(2);
const history = new History(path, {now: () => 1_800_000_000, token: () => randomBytes(12).toString('hex')});
const ids = (number, count) => Array.from({length: count}, (_, index) => `bstm_${number}n${index}`);
const begin = (number, size) =>
  history.begin({profile: 'shop', mode: 'live', command: `${name} ${number}`, ids: ids(number, size), amount: number});
const end = () => history.end({result: 'ok', exitCode: 0, applied: 'yes'});

/** Begins writes until one is refused. Returns the number recorded, and the error. */
function fill() {
  for (let number = 0; ; number++) {
    try {
      begin(number, 20);
    } catch ({message, code, exitCode, details}) {
      return {recorded: number, ended: end(), error: {message, code, exitCode, why: details.why}};
    }
  }
}

if (task === 'count') {
  writeSync(1, 'ready\n');
  readSync(0, Buffer.alloc(1));
  for (let number = 0; number < Number(detail); number++) {
    begin(number, number % 50);
    end();
  }
} else if (task === 'endless' || task === 'turns') {
  // Prints synchronously, so that no line is lost when the process is killed.
  for (let number = 0; ; number++) {
    if (task === 'turns') readSync(0, Buffer.alloc(1));
    begin(number, number % 7 === 0 ? 2000 : 3);
    writeSync(1, `${number}\n`);
  }
} else {
  const told = fill();
  if (detail) rmSync(detail);
  let again = null;
  try {
    begin(1_000_000, 1);
    again = end();
  } catch {}
  const records = [...history.pages()]
    .flat()
    .reverse()
    .map(({command, amount, ids, result}) => [command, amount, ids.length, result]);
  writeSync(1, JSON.stringify({...told, again, records}));
}
