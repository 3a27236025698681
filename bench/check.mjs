// Fails when commands take clearly longer to start than they should. A short form of compare.mjs for continuous integration: pairs of
// `node -e 0` and a command, one of each command in turn, and the ratios of their times.
//
//   node bench/check.mjs

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {median, pair, quantile, run} from './processes.mjs';

/**
 * Each command with its bounds. `cpu` is the median ratio of processor time, which other programs on the machine hardly change: it
 * finds what computes for longer. `wall` is the lower quartile of the ratios of elapsed time, which a busy machine does not raise: it
 * finds what waits for longer. Thirty milliseconds more are about 1.3 on either.
 */
const BOUNDS = [
  {words: ['--version'], cpu: 1.8, wall: 1.9},
  {words: ['--help'], cpu: 6.8, wall: 6.5},
  {words: ['status', '--json'], cpu: 9.4, wall: 8.8},
  {words: ['customers', 'list', '--json'], cpu: 9.5, wall: 8.9},
];
const ROUNDS = 15;

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = path('../bin/run.js');
const measureCpu = ['--require', path('cpu-time.cjs')];
const home = mkdtempSync(join(tmpdir(), 'centavo-bench-'));
const env = {PATH: process.env.PATH, HOME: home, TMPDIR: home};
try {
  const measures = BOUNDS.map((bounds) => ({...bounds, args: [program, ...bounds.words], ratios: {cpu: [], wall: []}}));
  run([program, 'sandbox', 'seed'], {env});
  // The first runs make what later ones find: settings, compiled code.
  for (const {args} of [...measures, ...measures]) run(args, {env});
  for (let round = 0; round < ROUNDS; round++) {
    for (const {args, ratios} of measures) {
      const times = pair(args, {env}, measureCpu);
      ratios.cpu.push(Number(times.program.extra) / Number(times.nothing.extra));
      ratios.wall.push(times.program.wall / times.nothing.wall);
    }
  }
  for (const {words, ratios, cpu, wall} of measures) {
    const found = {cpu: median(ratios.cpu), wall: quantile(ratios.wall, 0.25)};
    const slow = found.cpu > cpu || found.wall > wall;
    if (slow) process.exitCode = 1;
    console.log(
      `${slow ? 'SLOW' : 'ok  '}  ${words.join(' ').padEnd(22)}  ` +
        `cpu ${found.cpu.toFixed(2)} (at most ${cpu})  wall ${found.wall.toFixed(2)} (at most ${wall})`,
    );
  }
} finally {
  rmSync(home, {recursive: true, force: true});
}
