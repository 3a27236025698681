// A data folder that came from elsewhere says so before it continues what may still be sent there.

import {cpSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import type {Machine} from '../../../src/config/data-folder.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {importing, importStage, jobsIn, stopAfter} from '../../support/scenarios/imports.js';
import {loaded} from '../../support/terminal.js';

const HERE = {name: 'desk', id: 'one'};
const THERE = {name: 'laptop', id: 'two'};

/** An import on `desk` that was stopped, and its data in another folder. */
async function stopped() {
  const stage = await importStage(2);
  const {service, directory, file, env, run} = stage;
  expect((await run(importing(file, '--yes'), {...stopAfter(service, 5), host: {machine: HERE}})).status).toBe(130);
  service.faults = {};
  const [job = ''] = jobsIn(directory);
  const copy = join(temporaryDirectory(), 'copy');
  cpSync(directory, copy, {recursive: true});
  const inFolder = (folder: string, machine: Machine) => commandsIn(folder, {pace: 0.01, env, host: {machine}});
  return {...stage, job, copy, inFolder};
}

test('a copy is refused without a terminal, the original goes on, and each email is sent once', async () => {
  const {service, directory, file, job, copy, inFolder} = await stopped();
  const refused = await inFolder(copy, THERE)(['jobs', 'resume', job, '--json', '--yes']);
  expect(refused.error()).toMatchObject({
    ...{code: 'other_machine', exit_code: 12, applied: 'no', needs_person: true},
    message: expect.stringContaining(`this data folder came from desk, ${directory}. `),
  });
  // The import that goes on by itself, and a copy on the same machine, which has only another path.
  const again = await inFolder(copy, HERE)([...importing(file, '--yes'), '--json']);
  expect(again.error()).toMatchObject({
    code: 'other_machine',
    message: expect.stringContaining(`came from ${directory}. `),
  });
  expect((await inFolder(copy, THERE)(['jobs', 'resume', job, '--dry-run'])).status).toBe(0);
  const original = await inFolder(directory, HERE)(['jobs', 'resume', job, '--yes']);
  expect(original.status, original.stderr).toBe(0);
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test('--adopt takes a copy over, once', async () => {
  const {service, directory, job, copy, inFolder} = await stopped();
  rmSync(directory, {recursive: true});
  const taken = await inFolder(
    copy,
    THERE,
  )(['jobs', 'resume', job, '--yes', '--adopt', '--result', join(copy, 'r.csv')]);
  expect(taken.status, taken.stderr).toBe(0);
  expect((await inFolder(copy, THERE)(['jobs', 'resume', job, '--yes', '--result', join(copy, 's.csv')])).status).toBe(
    0,
  );
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test.skipIf(!loaded.pty)('at a terminal the question names the machine, and Enter sends nothing', async () => {
  const {service, directory, env, job, copy} = await stopped();
  writeFileSync(
    join(copy, 'machine.json'),
    JSON.stringify({machine: 'x', name: 'laptop', path: directory, birth: 'x'}),
  );
  for (const [answer, status, sent] of [
    ['\r', 12, []],
    ['y\r', 0, [1, 1]],
  ] as const) {
    const desk = screenInProcess(copy, ['jobs', 'resume', job, '--yes'], {columns: 160, now: null, env, pace: 0.01});
    await desk.until(/came\s+from\s+laptop, [\s\S]*Has\s+it\s+stopped\s+there\s+for\s+good\? \(y\/N\)/);
    desk.type(answer);
    expect(await desk.ended).toBe(status);
    expect([...service.emails().values()]).toEqual(sent);
  }
});

test.each<[string, Machine, (data: Awaited<ReturnType<typeof stopped>>) => string, number]>([
  ['was renamed', {name: 'new', id: 'one'}, ({directory}) => directory, 0],
  ['has another name and id at each start, with the folder mounted', THERE, ({directory}) => directory, 0],
  [
    'restored its folder from a backup',
    HERE,
    ({directory, copy}) => {
      rmSync(directory, {recursive: true});
      cpSync(copy, directory, {recursive: true});
      return directory;
    },
    0,
  ],
  [
    'moved its folder to another disk',
    HERE,
    ({directory, copy}) => {
      rmSync(directory, {recursive: true});
      return copy;
    },
    0,
  ],
  [
    'moved its folder',
    THERE,
    ({directory}) => {
      const moved = join(dirname(directory), `${Date.now()}-moved`);
      renameSync(directory, moved);
      return moved;
    },
    0,
  ],
  [
    'has a folder whose owner is unreadable',
    HERE,
    ({directory}) => {
      writeFileSync(join(directory, 'machine.json'), '');
      return directory;
    },
    12,
  ],
])('a machine that %s', async (_, machine, folderOf, status) => {
  const stage = await stopped();
  const folder = folderOf(stage);
  const resumed = await stage.inFolder(
    folder,
    machine,
  )(['jobs', 'resume', stage.job, '--yes', '--result', join(folder, 'r.csv')]);
  expect(resumed.status, resumed.stderr).toBe(status);
  if (status === 12) expect(resumed.stderr).toContain('machine.json names no machine.');
  if (folder.endsWith('-moved')) rmSync(folder, {recursive: true});
  else expect(readdirSync(folder).filter((name) => name.startsWith('machine'))).toEqual(['machine.json']);
});

test('a draft that was begun elsewhere is not continued in a copy', async () => {
  const {service, directory, env, copy, inFolder} = await stopped();
  const run = inFolder(directory, HERE);
  const {id} = (await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@ex.com', '--json'])).json();
  const words = ['billing-statements', 'create', '--customer', id, '--item', 'Rent @ 900', '--due', '+9d', '--send'];
  expect((await run(words, stopAfter(service, 2))).status).toBe(130);
  service.faults = {};
  cpSync(directory, copy, {recursive: true, force: true});
  const [draft] = (await run(['billing-statements', 'list', '--status', 'draft', '--json'])).rows();
  const goOn = ['billing-statements', 'create', '--continue', draft.id, ...words.slice(4)];
  const refused = await commandsIn(copy, {pace: 0.01, env, host: {machine: THERE}})([...goOn, '--json']);
  expect(refused.error()).toMatchObject({code: 'other_machine', exit_code: 12, applied: 'no'});
  const done = await run(goOn);
  expect(done.status, done.stderr).toBe(0);
});
