// Screens of an import: plan, question, progress bar, result and jobs.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {importFile, importService} from '../support/services/import-service.js';
import {screenInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';
import {shownDirectory} from '../support/cli.js';
import {widths} from '../support/test-size.js';

const WIDTHS = widths([60, 80, 100]);
const plain = (text: string): string =>
  text
    .replace(/job_[a-z0-9]{10}/g, 'job_xxxxxxxxxx')
    .replace(/\b[A-Z0-9]{8}-(?=\d{4}\b)/g, 'PAYERXXX-')
    .replace(/(?<=requests, )\d+ s$/m, '2 s')
    .replace(/\/tmp\/[\w./-]*\//g, '/…/');

describe.skipIf(!loaded.pty)('an import at a terminal', () => {
  test.each(WIDTHS)('%i columns: plan, question and result', async (columns) => {
    const directory = temporaryDirectory();
    const file = join(shownDirectory(), 'june.csv');
    writeFileSync(file, importFile(12).text);
    const shown = screenInProcess(directory, ['billing-statements', 'import', file, '--send'], {columns});
    await shown.until(/\(y\/N\)|\[y\/N\]/i);
    shown.type('y\r');
    expect(await shown.ended).toBe(0);
    await expect(plain(await shown.show())).toMatchFileSnapshot(`texts/import-${columns}.txt`);
    const list = screenInProcess(directory, ['jobs', 'list'], {columns});
    await list.ended;
    await expect(plain(await list.show())).toMatchFileSnapshot(`texts/import-jobs-${columns}.txt`);
  });

  test.each(WIDTHS)('%i columns: failures, unknown sends, and the decisions about them', async (columns) => {
    const service = await importService({
      losesSends: true,
      refuses: (request, body) =>
        request === 'POST /billing_statements' && body.includes('JUNE-0003') ? 'The customer is blocked.' : undefined,
    });
    onTestFinished(() => service.close());
    const directory = temporaryDirectory();
    const file = join(shownDirectory(), 'june.csv');
    writeFileSync(file, importFile(3).text);
    const see = (words: readonly string[]) =>
      screenInProcess(directory, words, {columns, pace: 0.01, env: service.env});
    const billed = see(['billing-statements', 'import', file, '--send', '--yes', '--concurrency', '1']);
    expect(await billed.ended).toBe(11);
    await expect(plain(await billed.show())).toMatchFileSnapshot(`texts/import-failed-${columns}.txt`);
    const job = /job_\w+/.exec(await billed.text())![0];
    const shown = see(['jobs', 'get', job]);
    await shown.ended;
    await expect(plain(await shown.show())).toMatchFileSnapshot(`texts/import-job-${columns}.txt`);
    service.faults = {};
    const decided = see(['jobs', 'resume', job, '--resend-unknown']);
    await decided.until(/❯ Decide later/);
    decided.type('\u001B[B\r');
    await decided.until(/count it as sent[^]*❯ Decide later/);
    decided.type('\r');
    expect(await decided.ended).toBe(11);
    await expect(plain(await decided.show())).toMatchFileSnapshot(`texts/import-decided-${columns}.txt`);
  });

  async function barAt(columns: number): Promise<void> {
    const service = await importService({latency: 20});
    onTestFinished(() => service.close());
    const directory = temporaryDirectory();
    const file = join(shownDirectory(), 'june.csv');
    writeFileSync(file, importFile(40).text);
    const shown = screenInProcess(directory, ['billing-statements', 'import', file, '--send', '--yes'], {
      columns,
      now: null,
      env: {...service.env, LANG: 'en_US.UTF-8'},
    });
    await shown.until(/\d+ of 40 drafts created/);
    const lines = (await shown.text()).split('\n').filter((line) => /drafts created/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]!.length).toBeLessThan(columns);
    expect(lines[0]).toMatch(/[█▏▎▍▌▋▊▉░]/);
    await shown.until(/\d+ of 40 sent/);
    expect(await shown.ended).toBe(0);
    expect(await shown.text()).toContain('40 of 40 sent');
  }

  test('the progress bar fits every width and counts the drafts', async () => {
    await Promise.all(WIDTHS.map(barAt));
  });

  test('does not resend uncertain sends until the user decides about each', async () => {
    const service = await importService({losesSends: true});
    onTestFinished(() => service.close());
    const directory = temporaryDirectory();
    const file = join(shownDirectory(), 'june.csv');
    writeFileSync(file, importFile(2).text);
    // The screens below use the real clock.
    const run = commandsIn(directory, {env: service.env, pace: 0.01, now: Date.now});
    const first = await run(['billing-statements', 'import', file, '--send', '--yes']);
    expect(first).toMatchObject({status: 11, stderr: expect.stringContaining('2 may have been sent')});
    service.faults = {};
    const job = /jobs get (job_\w+) --open/.exec(first.stderr)![1]!;
    const again = await run(['jobs', 'resume', job, '--yes']);
    expect(again).toMatchObject({status: 11, stderr: expect.stringContaining('2 may have been sent')});
    expect([...service.emails().values()]).toEqual([1, 1]);
    expect((await run(['jobs', 'resume', job, '--resend-unknown', '--yes'])).status).toBe(2);
    // The shortened waits have passed for the service, too: the decision is later than the first email.
    service.clock.ahead = 120;

    const shown = screenInProcess(directory, ['jobs', 'resume', job, '--resend-unknown'], {
      columns: 160,
      now: null,
      pace: 0.01,
      env: service.env,
    });
    await shown.until(/may have been sent\.[^]*❯ Decide later[^]*count it as sent[^]*Send it again/);
    shown.type('\u001B[B\u001B[B\r');
    await shown.until(/Send it again[^]*may have been sent\.[^]*❯ Decide later/);
    shown.type('\r');
    await shown.until(/continue job_\w+: send 1 of 2 billing/);
    shown.type('y\r');
    expect(await shown.ended).toBe(11);
    expect(await shown.text()).toContain('1 may have been sent');
    expect([...service.emails().values()].sort()).toEqual([1, 2]);

    const asked = screenInProcess(directory, ['jobs', 'resume', job, '--resend-unknown'], {
      ...{columns: 160, now: null, pace: 0.01, env: service.env},
    });
    await asked.until(/may have been sent\.[^]*❯ Decide later/);
    asked.type('\u001B[B\r');
    expect(await asked.ended).toBe(0);
    expect(await asked.text()).toContain('2 of 2 sent');
    expect([...service.emails().values()].sort()).toEqual([1, 2]);
  });
});
