// A record of which a crash left any number of bytes: what is there stays as it was, and what is added afterwards stands on lines of its own.

import {readFileSync, writeFileSync} from 'node:fs';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {auditIn, OK, recordOne, recordsIn} from '../support/audit/history.js';
import {runs} from '../support/tiers.js';

const SEED = 20261221;

test('cut after every byte, a record is there whole or not at all, and none beside it is harmed', () => {
  const directory = temporaryDirectory();
  const audit = auditIn(directory);
  recordOne(audit, {command: 'before'});
  const before = readFileSync(audit.path);
  audit.begin({command: 'torn', profile: 'tindahan ñ', mode: 'test', ids: ['bstm_1', 'bstm_2'], amount: 2000});
  const all = readFileSync(audit.path);
  for (let size = before.length; size <= all.length; size++) {
    writeFileSync(audit.path, all.subarray(0, size));
    const seen = recordsIn(audit, () => expect.fail('a torn end is no loss')).map(({command}) => command);
    expect(seen, `${size}`).toEqual(size === all.length ? ['before', 'torn'] : ['before']);

    const after = auditIn(directory, {first: 100});
    recordOne(after, {command: 'after'});
    expect(readFileSync(audit.path).subarray(0, size)).toEqual(all.subarray(0, size));
    // Only the line break may be missing: then the record is whole all the same.
    const whole = size >= all.length - 1;
    const records = recordsIn(after);
    expect(records.map(({command}) => command)).toEqual(whole ? ['before', 'torn', 'after'] : ['before', 'after']);
    expect(records.at(-1)).toMatchObject({result: 'ok'});
  }
  console.info(`Cut at ${all.length - before.length + 1} places.`);
});

test(`whatever happens to its end, nothing that was in the file is changed, and all that was recorded is read (seed ${SEED})`, () => {
  const step = fc.oneof(
    fc.record({kind: fc.constant('write' as const), profile: fc.string({unit: 'binary'}), ends: fc.boolean()}),
    // Bytes of a crash: without a line break, as a write that was cut short has none.
    fc.record({kind: fc.constant('crash' as const), bytes: fc.string({unit: 'binary', maxLength: 40})}),
  );
  fc.assert(
    fc.property(fc.array(step, {maxLength: 12}), (steps) => {
      const directory = temporaryDirectory((clean) => cleanings.push(clean));
      const audit = auditIn(directory);
      writeFileSync(audit.path, '');
      const expected: string[] = [];
      for (const one of steps) {
        const was = readFileSync(audit.path);
        if (one.kind === 'crash') {
          writeFileSync(audit.path, one.bytes.replaceAll('\n', ''), {flag: 'a'});
        } else {
          const command = `write ${expected.length}`;
          audit.begin({profile: one.profile, mode: 'test', command, ids: []});
          if (one.ends) audit.end(OK);
          expected.push(command);
        }
        expect(readFileSync(audit.path).subarray(0, was.length)).toEqual(was);
      }
      expect(recordsIn(audit).map(({command}) => command)).toEqual(expected);
      for (const clean of cleanings.splice(0)) clean();
    }),
    {seed: SEED, numRuns: runs(300)},
  );
});

const cleanings: (() => void)[] = [];
