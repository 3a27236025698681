// Fails when a command starts too slowly: a short form of compare.mjs for continuous integration, with
// pairs of `node -e 0` and a command, one of each command in turn.
//
//   node bench/check.mjs

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {median, pair, run} from './processes.mjs';

/**
 * The maximum processor time of each command, as the ratio to `node -e 0`. Other programs hardly change this ratio,
 * while they can double elapsed time. Thirty milliseconds more are about 1.2, more than the margin of the first two
 * bounds and about the margin of the others. Waits are not measured.
 */
const BOUNDS = [
  {words: ['--version'], max: 1.7},
  {words: ['--help'], max: 1.8},
  {words: ['status', '--json'], max: 4.8},
  {words: ['customers', 'list', '--json'], max: 6.3},
];
const ROUNDS = 11;

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = path('../bin/run.js');
const measureCpu = ['--require', path('cpu-time.cjs')];
const home = mkdtempSync(join(tmpdir(), 'centavo-bench-'));
const env = {PATH: process.env.PATH, HOME: home, TMPDIR: home};
try {
  const measures = BOUNDS.map((bound) => ({...bound, args: [program, ...bound.words], ratios: []}));
  run([program, 'sandbox', 'seed'], {env});
  // Later runs find the settings and, from Node 22.1 on, the compiled code of the first.
  for (const {args} of [...measures, ...measures]) run(args, {env});
  for (let round = 0; round < ROUNDS; round++) {
    for (const {args, ratios} of measures) {
      const times = pair(args, {env}, measureCpu);
      ratios.push(Number(times.program.extra) / Number(times.nothing.extra));
    }
  }
  for (const {words, ratios, max} of measures) {
    const ratio = median(ratios);
    if (ratio > max) process.exitCode = 1;
    const verdict = ratio > max ? 'SLOW' : 'ok  ';
    console.log(`${verdict}  ${words.join(' ').padEnd(22)}  ${ratio.toFixed(2)} × node -e 0, at most ${max}`);
  }
} finally {
  rmSync(home, {recursive: true, force: true});
}
