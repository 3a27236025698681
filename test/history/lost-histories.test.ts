// A history that was deleted or replaced: the other files of this machine still know the sends.

import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {continueDamaged} from '../support/scenarios/damaged-folders.js';
import {LOST_HISTORIES, machineThatLoses, remindAfterLoss} from '../support/scenarios/lost-histories.js';

describe('one email each, and its true time', () => {
  test.each(LOST_HISTORIES.filter((_, index) => index % 11 === 3))('%s, then %s (%s, clock %j)', (...each) =>
    remindAfterLoss(each),
  );
});

test.each([
  ['keyed bill, answer lost', 'runs.db', 'of zero bytes', 'again'],
  ['import, killed', 'job', 'of an older copy', 'resume'],
] as const)('%s, then %s %s: %s', (...each) => continueDamaged(each));

test('where the service gives no time, remind says whose clock it uses', async () => {
  const {merchant, server, run} = await machineThatLoses(onTestFinished);
  server.now = () => Number.NaN;
  const {id} = await merchant.open();
  for (const reminded of ['yes', 'no']) {
    const result = await run(['remind', String(id), '--json']);
    expect(result.rows()).toMatchObject([{reminded}]);
    expect(result.stderr).toContain('The service sends no Date. Times of sends are by this machine’s clock.');
  }
});

test('doctor counts the lost sends, and send restores and refuses them', async () => {
  const {merchant, directory, run} = await machineThatLoses(onTestFinished);
  const {id} = await merchant.open();
  await run(['send', String(id)]);
  const check = async () =>
    (await run(['doctor', '--json'])).json().checks.find(({name}: {name: string}) => name === 'sends');
  expect(await check()).toBeUndefined();
  rmSync(join(directory, 'history.db'));
  expect(await check()).toMatchObject({
    status: 'note',
    message: 'The history lacks 1 send that other files of centavo record.',
  });
  expect(await run(['send', String(id)])).toMatchObject({status: 12});
  expect(await check()).toBeUndefined();
});
