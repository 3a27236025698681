// The work of snapshots in memory: their statements are counted, since times depend on the machine.

import {expect, onTestFinished, test} from 'vitest';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {runAction} from '../../../src/sandbox/requests/router.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import type {Database} from '../../../src/storage/sqlite.js';

/** Counts the statements that run from now on. */
function countStatements(database: Database): () => number {
  let count = 0;
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      count += 1;
      return call(...args);
    };
  const {run, get, all, exec} = database;
  Object.assign(database, {run: counted(run), get: counted(get), all: counted(all), exec: counted(exec)});
  return () => {
    const seen = count;
    count = 0;
    return seen;
  };
}

function counts(objects: number) {
  const control = controlOf(openSandbox({now: () => 1_926_205_200}));
  const {sandbox} = control;
  onTestFinished(sandbox.close);
  const create = (name: string): string =>
    sandbox.perform(
      (tx) => runAction(tx, 'customers:create', {name, email: `${name}@example.com`, currency: 'PHP'}).id,
    );
  const ids = Array.from({length: objects}, (_, number) => create(`c${number}`));
  const rows = () => sandbox.requests.database.all('SELECT * FROM objects ORDER BY seq');
  const before = rows();
  const taken = countStatements(sandbox.requests.database);

  const name = control.snapshot();
  const figures = {snapshot: taken(), unchanged: 0, changed: 0, afterReset: 0};
  const restored = (): number => {
    taken();
    control.restore(name);
    const count = taken();
    expect(rows()).toEqual(before);
    return count;
  };
  figures.unchanged = restored();
  for (const id of ids.slice(0, 5)) sandbox.perform((tx) => runAction(tx, 'customers:update', {name: 'Changed'}, id));
  sandbox.perform((tx) => runAction(tx, 'customers:delete', {}, ids[5]!));
  create('new');
  figures.changed = restored();
  control.reset();
  figures.afterReset = restored();
  return figures;
}

test('the number of statements does not depend on the number of objects', () => {
  const few = counts(10);
  expect(counts(500)).toEqual(few);
  expect(Math.max(...Object.values(few))).toBeLessThan(50);
});
