// Peak memory of real processes: what is long on the disk or on the wire takes no more of it than what is short.

import {openSync, readFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {cli, temporaryDirectory, type CliResult} from '../helpers/cli.js';

/** Has the process write its peak at its end. What `getrusage` says would include the peak of the process that started it. */
const TELL_PEAK = `--import data:text/javascript,${encodeURIComponent(`
  import {existsSync, readFileSync, writeFileSync} from 'node:fs';
  process.on('exit', () => {
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const kilobytes = /^VmHWM:\\s*(\\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
    writeFileSync(process.env.TEST_PEAK_FILE, String(kilobytes));
  });
`)}`;

/** Megabytes by which a long list may exceed a short one: the garbage that is not collected yet. */
const MORE = 32;

/** Runs a command, and tells its peak in megabytes. */
async function peakOf(
  directory: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<CliResult & {readonly peak: number}> {
  const file = join(temporaryDirectory(), 'peak');
  const result = await cli(directory)(words, {env: {...env, NODE_OPTIONS: TELL_PEAK, TEST_PEAK_FILE: file}});
  expect(result, result.stderr).toMatchObject({status: 0});
  return {...result, peak: Number(readFileSync(file, 'utf8')) / 1024};
}

const told = (what: string, short: number, long: number): void =>
  console.info(`${what}: ${Math.round(short)} MB for a short one, ${Math.round(long)} MB for a long one.`);

describe('the history', () => {
  function historyOf(writes: number): string {
    const directory = temporaryDirectory();
    const file = openSync(join(directory, 'history.jsonl'), 'w', 0o600);
    const command = 'billing-statements finalize';
    for (let at = 0; at < writes; at += 1000) {
      const lines = Array.from({length: Math.min(1000, writes - at)}, (_, index) => {
        const id = `w${String(at + index).padStart(15, '0')}`;
        const begun = {type: 'begun', id, at: at + index, profile: 'shop', mode: 'test', command, ids: [`bstm_${id}`]};
        const ended = {type: 'ended', id, at: at + index, result: 'ok', exit_code: 0, applied: 'yes', ids: []};
        return `${JSON.stringify(begun)}\n${JSON.stringify(ended)}\n`;
      });
      writeSync(file, lines.join(''));
    }
    return directory;
  }

  test('of 300,000 lines, the last one', async () => {
    const words = ['history', '--limit', '1', '--json'];
    const short = await peakOf(historyOf(100), words);
    const long = await peakOf(historyOf(150_000), words);
    expect(long.json()).toMatchObject({has_more: true, unreadable_lines: 0, data: [{at: 149_999}]});
    told('history --limit 1', short.peak, long.peak);
    expect(long.peak - short.peak).toBeLessThan(MORE);
  });
});
