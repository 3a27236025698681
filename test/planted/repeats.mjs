// Bugs planted in the idempotency keys. What they are planted beside stands in planted.mjs.

const TABLE = 'src/repeats/repeats.ts';
const RUN = 'src/cli/operations/idempotency-key.ts';
const SETTLE = 'src/cli/operations/settle-unknown.ts';
const tests = ['test/repeats/keys.test.ts'];

/** @type {readonly import('./planted.mjs').Planted[]} */
export const REPEATS = [
  {
    harm: 'A key that a living process holds is taken over: both processes send.',
    file: TABLE,
    find: "if (found && isHeld) return {is: 'busy', change: found};",
    replace: '',
    tests,
    title: 'living process',
  },
  {
    harm: 'Another change under a used key is answered with the first one.',
    file: TABLE,
    find: "found.state !== 'kept' && found.digest !== wanted.digest",
    replace: "found.state === 'kept' && found.digest !== wanted.digest",
    tests,
    title: 'is another one with',
  },
  {
    harm: 'A refused change keeps its key, so the mended command is refused.',
    file: TABLE,
    find: 'if (isUnmade && this.#isFirst) this.free(current);',
    replace: "if (isUnmade && current.state === 'kept') this.free(current);",
    tests,
    title: 'refused change frees',
  },
  {
    harm: 'A customer from before is taken for the one that a lost request made.',
    file: SETTLE,
    find: '...page.filter(({id}) => !ids.includes(String(id)) && ',
    replace: '...page.filter(({id}) => ',
    tests,
    title: 'from before is not taken',
  },
  {
    harm: 'Two keys are answered with one customer: the second is never made.',
    file: SETTLE,
    find: 'repeats.othersOf(account, id).length > 0 || ',
    replace: '',
    tests,
    title: 'two keys never',
  },
  {
    harm: 'A customer whose name was corrected is made again.',
    file: SETTLE,
    find: "'customers:create': ['email']",
    replace: "'customers:create': ['email', 'name']",
    tests,
    title: 'corrected meanwhile',
  },
  {
    harm: 'A bill of unknown outcome is made again three months later.',
    file: SETTLE,
    find: "if (GOES_ON.includes(change.command) && !isForgotten) return 'again';",
    replace: "if (GOES_ON.includes(change.command)) return 'again';",
    tests,
    title: 'journal is removed',
  },
  {
    harm: 'A bill that was cut short is made although a colleague has made it meanwhile.',
    file: 'src/billing/statement/cli/equal-bills.ts',
    find: "if (!isBilling || flags['allow-duplicate']) return change;",
    replace: "if (!isBilling || flags['allow-duplicate'] || context.keyed()) return change;",
    tests,
    title: 'by a colleague meanwhile',
  },
  {
    harm: 'A bill that goes on the next day has another due date than the one that was opened.',
    file: 'src/context/context.ts',
    find: 'files.keyed()?.current?.begun_at ?? accountNow()',
    replace: 'accountNow()',
    tests,
    title: 'goes on with its own draft',
  },
  {
    harm: 'An object that was deleted is answered as made.',
    file: RUN,
    find: "error.kind === 'not_found') throw gone(",
    replace: "error.kind === 'rejected') throw gone(",
    tests,
    title: 'webhook that was deleted',
  },
  {
    harm: 'An email of unknown outcome under one key is sent again under another without a question.',
    file: 'src/guard/repeats.ts',
    find: '    isCertain &&\n',
    replace: '    isCertain !== undefined &&\n',
    tests,
    title: 'unknown outcome under another',
  },
  {
    harm: 'What was sent without a key counts as what another key sent later: it is sent again.',
    file: 'src/guard/repeats.ts',
    find: ' && attempt?.startsWith(plan) === true',
    replace: '',
    tests: ['test/guard/repeat-histories.test.ts'],
    title: 'without a key is not what another key',
  },
  {
    harm: 'A refund that a person says was made is made again, on a machine whose clock is 40 days behind.',
    file: 'src/guard/repeats.ts',
    find: 'await port.serviceNow();',
    replace: '',
    tests: ['test/guard/repeat-histories.test.ts'],
    title: 'a refund that a person says was made, on a machine',
  },
  {
    harm: 'A send that a person says was made is made again, on a machine whose clock is 40 days behind.',
    file: SETTLE,
    find: 'isChecked ? context.serviceNow() : context.accountNow()',
    replace: 'context.accountNow()',
    tests: ['test/guard/repeat-histories.test.ts'],
    title: 'a send that a person says was made, on a machine',
  },
];
