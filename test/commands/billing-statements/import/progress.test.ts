// Progress of an import: a line every ten seconds, JSON records, a bar at a terminal, and Ctrl-C.
// The clock advances only when the service advances it.

import {stripVTControlCharacters} from 'node:util';
import {expect, test} from 'vitest';
import {importing, importStage, stopAfter} from '../../../support/scenarios/imports.js';

const START = Date.parse('2026-12-15T10:00:00+08:00');

/** A machine whose clock advances by some seconds at each change. */
async function slowStage(count: number, secondsAChange: number) {
  const stage = await importStage(count);
  let now = START;
  // Longer than the paced second between two looks at the clock, and of the same event loop: a look follows each change.
  stage.service.faults = {latency: 15, onChange: () => void (now += secondsAChange * 1000)};
  return {...stage, now: () => now, seconds: () => (now - START) / 1000};
}

test('without a terminal, prints count, remaining time, amount and rate every ten seconds', async () => {
  const {file, run, now, seconds} = await slowStage(12, 3);
  const {status, stderr} = await run(importing(file, '--yes', '--concurrency', '1'), {now});
  expect(status).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.includes(' · ') && !line.startsWith('→'));
  expect(lines.length).toBeGreaterThan(seconds() / 10 / 2);
  expect(lines.length).toBeLessThanOrEqual(seconds() / 10);
  for (const line of lines)
    expect(line).toMatch(
      /^(\d of 9 customers created|\d+ of 12 drafts created|\d+ of 12 sent)( · \d+ (s|min|h \d+ min) left)?( · ₱[\d,.]+ of ₱24,361\.92)?( · \d+\/min)?$/,
    );
  expect(lines.at(-1)).toMatch(/^1[0-2] of 12 sent · \d+ s left · ₱[\d,.]+ of ₱24,361\.92 · \d+\/min$/);
  // Customers and drafts come first, so no row is done during the first half.
  expect(lines[Math.floor(lines.length / 2) - 1]).toMatch(/drafts created/);
});

test('prints the time without a response', async () => {
  const {service, file, run} = await importStage(2);
  let now = START;
  let requests = 0;
  // The only running request has no response for a minute.
  service.faults = {
    get latency() {
      if (++requests === 8) now += 60_000;
      return 60;
    },
  };
  const {stderr} = await run(importing(file, '--yes', '--concurrency', '1'), {now: () => now});
  expect(stderr).toMatch(/^\d of 2 (customers created|drafts created) · no response for 60 s$/m);
});

// The first change creates a customer, the second a draft, the third an item.
test.each([1, 2, 3])(
  'says why it waits when change %i lost its response, and not that it was stopped',
  async (lost) => {
    const {file, run, service} = await importStage(1);
    let changes = 0;
    service.faults = {
      onChange: () => void changes++,
      get reset() {
        return changes === lost ? 1 : 0;
      },
    };
    const {status, stderr} = await run(importing(file, '--yes', '--concurrency', '1'));
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/(^C|· c)hecking until \d\d:\d\d:\d\d whether the call was applied\.?$/m);
    expect(stderr).not.toMatch(/stop|no response/);
  },
);

test('prints one record per statement in JSON, and no progress', async () => {
  const {file, run, now} = await slowStage(4, 11);
  const {stdout, stderr, status} = await run(importing(file, '--yes', '-o', 'jsonl'), {now});
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual(['row', 'row', 'row', 'row', 'summary']);
  const quiet = await importStage(4);
  const told = await quiet.run(importing(quiet.file, '--yes', '--quiet'));
  expect(told).toMatchObject({status: 0, stderr: '', stdout: '4 of 4 sent, ₱8,120.24.\n'});
});

test.each([60, 80, 120])('at %i columns, draws a bar and the text that fits', async (columns) => {
  const {service, file, run, now} = await slowStage(12, 3);
  const {onChange} = service.faults;
  let sends = 0;
  service.faults = {
    onChange,
    refuses: (request) => (request.endsWith('/send') && ++sends === 2 ? 'The customer has unsubscribed.' : undefined),
  };
  const {status, stderr} = await run(importing(file, '--yes', '--concurrency', '1'), {
    now,
    columns,
    env: {LANG: 'en_US.UTF-8'},
  });
  expect(status).toBe(11);
  const drawn = stripVTControlCharacters(stderr)
    .split(/[\r\n]+/)
    .filter((line) => /^[█▏▎▍▌▋▊▉░]/.test(line));
  expect(drawn.length).toBeGreaterThan(10);
  for (const line of drawn) expect(line.length, line).toBeLessThan(columns);
  expect(drawn.at(-1)).toMatch(/ {2}1[01] of 12 sent · 1 failed( ·|$)/);
  // On a busy machine the last line may be drawn before a pace is known again: the last line with a pace shows what fits.
  const full = drawn.findLast((line) => line.includes('1 failed') && line.includes(' left'))!;
  const last = full.replace(/^\S+ {2}/, '');
  // Text that does not fit is omitted from the end: two digits of seconds push out the rate.
  const isFull = full.length + ' · 5/min'.length > columns - 3;
  expect(last).toMatch(
    columns < 80
      ? /^\d+ of 12 sent · 1 failed · \d+ s left$/
      : columns < 120
        ? isFull && !last.endsWith('/min')
          ? /^\d+ of 12 sent · 1 failed · \d\d s left · ₱[\d,]+\.\d\d$/
          : /^\d+ of 12 sent · 1 failed · \d+ s left · ₱[\d,]+\.\d\d · \d+\/min$/
        : /^\d+ of 12 sent · 1 failed · \d+ s left · ₱[\d,]+\.\d\d of ₱24,361\.92 · \d+\/min$/,
  );
  // One digit does not.
  if (columns === 80) expect(drawn.some((line) => line.endsWith('/min'))).toBe(true);
});

test('Ctrl-C finishes running calls, writes the result and prints the resume command', async () => {
  const {service, file, run, amounts, result} = await importStage(4);
  const stopped = await run(importing(file, '--yes'), stopAfter(service, 8));
  expect(stopped).toMatchObject({status: 130, stdout: '0 of 4 sent, ₱0.00.\n'});
  const line = /^ {2}To continue: centavo (jobs resume job_\w+)$/m.exec(stopped.stderr)![1]!;
  expect([...result().keys()]).toEqual([...amounts.keys()]);
  service.faults = {};
  expect((await run([...line.split(' '), '--yes'])).status).toBe(0);
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...result().values()].map(({sent}) => sent)).toEqual(['yes', 'yes', 'yes', 'yes']);
});
