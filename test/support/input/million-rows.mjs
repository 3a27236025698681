// Reads a million generated rows, or as many as given, and prints the memory growth in bytes after the first ten thousand.
// Needs --expose-gc: Node versions differ in how much they leave uncollected.

import {STATEMENT_COLUMNS} from '../../../dist/input/spreadsheet/meanings.js';
import {readSpreadsheet} from '../../../dist/input/spreadsheet/read.js';

const ROWS = Number(process.argv[2] ?? 1_000_000);

function* file() {
  yield Buffer.from('External ID,Customer Email,Customer Name,Item,Qty,Price,Due\r\n');
  for (let from = 0; from < ROWS; from += 1000) {
    const lines = Array.from(
      {length: 1000},
      (_, at) =>
        `INV-${from + at},ana${(from + at) % 400}@example.com,Niño Peña,"Web design, page",2,"15,000.00",2026-12-15\r\n`,
    );
    yield Buffer.from(lines.join(''));
  }
}

const started = performance.now();
const {rows} = await readSpreadsheet(file, {file: 'million.csv', layout: STATEMENT_COLUMNS});
let count = 0;
let early = 0;
let most = 0;
for await (const row of rows) {
  if (row.faults.length > 0) throw new Error(`line ${row.line}`);
  count++;
  if (count % 10_000 === 0) {
    globalThis.gc();
    const {heapUsed, external} = process.memoryUsage();
    if (count === 10_000) early = heapUsed + external;
    most = Math.max(most, heapUsed + external);
  }
}
console.log(
  JSON.stringify({rows: count, growth: most - early, most, seconds: Math.round(performance.now() - started) / 1000}),
);
