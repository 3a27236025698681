// Ten thousand events over 64 connections, some twice, some forged, some failed by the app: see bench/receiver.mjs.

import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {expect, test} from 'vitest';

interface Figures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly wrong: readonly string[];
}

test(
  'under load nothing is lost, doubled or wrongly accepted, and it is not slow beside a bare server',
  {timeout: 120_000},
  () => {
    const program = join(import.meta.dirname, '../../bench/receiver.mjs');
    const output = execFileSync(process.execPath, [program, '--only', 'bare,forwarded', '--rounds', '1', '--json'], {
      encoding: 'utf8',
    });
    const {bare, forwarded} = JSON.parse(output) as {bare: Figures; forwarded: Figures};
    console.log(
      `forwarded ${forwarded.perSecond}/s, p50 ${forwarded.p50} ms, p99 ${forwarded.p99} ms; bare ${bare.perSecond}/s`,
    );
    expect(forwarded.wrong).toEqual([]);
    // Far below the usual rate on a slow disk, and far above one commit per event.
    expect(forwarded.perSecond / bare.perSecond).toBeGreaterThan(0.02);
  },
);
