// How far an import is, as it is told: a line every ten seconds, records for scripts, a bar at a terminal, and the end by Ctrl-C.
// The clock stands still except when the service lets it go on.

import {stripVTControlCharacters} from 'node:util';
import {expect, test} from 'vitest';
import {importing, importStage, stopAfter} from '../../../support/scenarios/imports.js';

const START = Date.parse('2026-12-15T10:00:00+08:00');

/** A machine whose clock goes on by so many seconds at each change. */
async function slowStage(count: number, secondsAChange: number) {
  const stage = await importStage(count);
  let now = START;
  // Longer than the paced second between two looks at the clock, and of the same event loop: a look follows each change.
  stage.service.faults = {latency: 15, onChange: () => void (now += secondsAChange * 1000)};
  return {...stage, now: () => now, seconds: () => (now - START) / 1000};
}

test('without a terminal a line every ten seconds says how many, how long yet, how much and how fast', async () => {
  const {file, run, now, seconds} = await slowStage(12, 3);
  const {status, stderr} = await run(importing(file, '--yes', '--concurrency', '1'), {now});
  expect(status).toBe(0);
  const lines = stderr.split('\n').filter((line) => line.includes(' · ') && !line.startsWith('→'));
  expect(lines.length).toBeGreaterThan(seconds() / 10 / 2);
  expect(lines.length).toBeLessThanOrEqual(seconds() / 10);
  for (const line of lines)
    expect(line).toMatch(
      /^(\d of 9 customers created|\d+ of 12 drafts made|\d+ of 12 sent)( · \d+ (s|min|h \d+ min) left)?( · ₱[\d,.]+ of ₱24,361\.92)?( · \d+\/min)?$/,
    );
  expect(lines.at(-1)).toMatch(/^1[0-2] of 12 sent · \d+ s left · ₱[\d,.]+ of ₱24,361\.92 · \d+\/min$/);
  // Customers and drafts come first, so nothing is done for a good half of the time.
  expect(lines[Math.floor(lines.length / 2) - 1]).toMatch(/drafts made/);
});

test('how long there was no response is told', async () => {
  const {service, file, run} = await importStage(2);
  let now = START;
  let requests = 0;
  // A minute in which the one request under way is not answered.
  service.faults = {
    get latency() {
      if (++requests === 8) now += 60_000;
      return 60;
    },
  };
  const {stderr} = await run(importing(file, '--yes', '--concurrency', '1'), {now: () => now});
  expect(stderr).toMatch(/^\d of 2 (customers created|drafts made) · no response for 60 s$/m);
});

test('scripts get a record for each statement, and no other line', async () => {
  const {file, run, now} = await slowStage(4, 11);
  const {stdout, stderr, status} = await run(importing(file, '--yes', '--json'), {now});
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

test.each([60, 80, 120])('at a terminal of %i columns a bar with what fits beside it', async (columns) => {
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
  const last = drawn.at(-1)!.replace(/^\S+ {2}/, '');
  // What does not fit is left out from the end: behind two digits of seconds there is no room for the rate.
  const isFull = drawn.at(-1)!.length + ' · 5/min'.length > columns - 3;
  expect(last).toMatch(
    columns < 80
      ? /^1[01] of 12 sent · 1 failed · \d+ s left$/
      : columns < 120
        ? isFull && !last.endsWith('/min')
          ? /^1[01] of 12 sent · 1 failed · \d\d s left · ₱[\d,]+\.\d\d$/
          : /^1[01] of 12 sent · 1 failed · \d+ s left · ₱[\d,]+\.\d\d · \d+\/min$/
        : /^1[01] of 12 sent · 1 failed · \d+ s left · ₱[\d,]+\.\d\d of ₱24,361\.92 · \d+\/min$/,
  );
  // Behind one digit there is.
  if (columns === 80) expect(drawn.some((line) => line.endsWith('/min'))).toBe(true);
});

test('Ctrl-C ends what is under way, writes the result, and prints the line that goes on', async () => {
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
