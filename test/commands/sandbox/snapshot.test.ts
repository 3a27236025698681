// `centavo sandbox snapshot`: files of the sandbox that commands and the studio share.

import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';

const NOW = Date.parse('2031-01-15T09:30:00+08:00');
const SANDBOX = {CENTAVO_PROFILE: 'sandbox'};

function shop() {
  let seconds = 0;
  const run = commandsIn(temporaryDirectory(), {env: SANDBOX, now: () => NOW + seconds * 1000});
  const snapshot = (...words: string[]) => {
    seconds += 1;
    return run(['sandbox', 'snapshot', ...words]);
  };
  const customers = async () => (await run(['customers', 'list', '--json'])).json<{data: object[]}>().data.length;
  const create = () => run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com']);
  return {run, snapshot, customers, create};
}

test('load saves the present state first, and names the command that goes back', async () => {
  const {snapshot, customers, create} = shop();
  const saved = (await snapshot('save', 'before-demo', '--json')).json();
  expect(saved).toMatchObject({name: '2031-01-15-093001-before-demo', saved_at: NOW / 1000 + 1});
  await create();
  const loaded = await snapshot('load', 'demo');
  expect(loaded.stdout).toContain('2031-01-15-093001-before-demo');
  expect(await customers()).toBe(0);
  const [, back] = /^To go back to it: centavo (.*)$/m.exec(loaded.stderr)!;
  expect(back).toBe('sandbox snapshot load 2031-01-15-093002');
  expect((await snapshot(...back!.split(' ').slice(2))).status).toBe(0);
  expect(await customers()).toBe(1);
});

test('list shows the newest first; delete removes one, and --dry-run none', async () => {
  const {snapshot} = shop();
  for (const name of ['demo', 'before-demo', 'other']) await snapshot('save', name);
  const names = async () =>
    (await snapshot('list', '--json')).json<{data: {name: string}[]}>().data.map(({name}) => name.slice(18));
  expect(await names()).toEqual(['other', 'before-demo', 'demo']);
  expect((await snapshot('delete', 'other', '--dry-run')).stderr).toContain(
    'delete the snapshot 2031-01-15-093003-other',
  );
  // The name that was given outweighs a part of another.
  expect((await snapshot('delete', 'demo', '--json')).json()).toEqual({name: '2031-01-15-093001-demo', deleted: true});
  expect(await names()).toEqual(['other', 'before-demo']);
});

test('a part of several names, an unknown name and a name that is no file name are refused', async () => {
  const {snapshot} = shop();
  for (const name of ['one', 'two']) await snapshot('save', name);
  const several = await snapshot('load', '2031-01-15', '--json');
  expect(several.error()).toMatchObject({
    code: 'snapshot_ambiguous',
    candidates: [{id: '2031-01-15-093002-two'}, {id: '2031-01-15-093001-one'}],
  });
  for (const verb of ['load', 'delete']) {
    const {status, stderr} = await snapshot(verb, 'three');
    expect(status).toBe(3);
    expect(stderr).toContain('snapshot "three" was not found.');
    expect(stderr).toContain('To list them: centavo sandbox snapshot list');
  }
  for (const name of ['../other', 'two words', 'x'.repeat(65), 'journal'])
    expect((await snapshot('save', name, '--json')).error()).toMatchObject({code: 'invalid_name'});
});
