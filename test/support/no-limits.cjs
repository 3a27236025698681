// Loaded before the program: no timer of a second or more is due. What ends then has waited for none, and no time limit has ended it.

const {writeSync} = require('node:fs');
const {syncBuiltinESMExports} = require('node:module');
const promises = require('node:timers/promises');

/**
 * Milliseconds from which a timer is a limit, or a wait between two tries. A test whose program waits for a second on purpose, as an
 * import does between two rounds, says so.
 */
const LONG = Number(process.env.LONG_TIMER ?? 1000);
/** Milliseconds after which it is clear that the program waits for one: it is ended, and says so. */
const LOST = 120_000;

function giveUp(milliseconds) {
  writeSync(2, `\nIt waits for a timer of ${milliseconds} ms.\n`);
  process.exit(70);
}

const {setTimeout: start} = globalThis;
globalThis.setTimeout = (work, milliseconds, ...words) =>
  milliseconds >= LONG ? start(giveUp, LOST, milliseconds) : start(work, milliseconds, ...words);

const {setTimeout: wait} = promises;
promises.setTimeout = async (milliseconds, value, options) => {
  await wait(milliseconds >= LONG ? LOST : milliseconds, undefined, options);
  if (milliseconds >= LONG) giveUp(milliseconds);
  return value;
};
syncBuiltinESMExports();
