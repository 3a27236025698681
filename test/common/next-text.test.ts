import {expect, test} from 'vitest';
import {commandLine} from '../../src/common/next-text.js';

test.each([
  [['import', '-june.csv', '--send'], 'import --send -- -june.csv'],
  [['import', '--june.csv', '--due', '+30d'], 'import --due +30d -- --june.csv'],
  [['get', '-Ana Reyes', '--project', 'shop', '--live'], "get --project shop --live -- '-Ana Reyes'"],
  [['customers', 'list', '--email', '-x@y.co', '-o', 'csv'], 'customers list --email -x@y.co -o csv'],
  [['find', '--limit', '20', '--', '-juan', '-x'], 'find --limit 20 -- -juan -x'],
  [['merge', '-a', '-1', '--', '--yes'], 'merge -a -- -1 --yes'],
  [['void', '-'], 'void -'],
])('%j is printed as a command to paste', (words, line) => {
  expect(commandLine(words)).toBe(`centavo ${line}`);
});
