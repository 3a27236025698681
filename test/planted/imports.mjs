// Bugs planted in the import: one for each of its rules about other imports of the same rows. What they are planted beside stands in planted.mjs.

const ACCOUNT = 'src/billing/account/account-reader.ts';
const RUN = 'src/billing/import/run-job.ts';
const SWEEP = 'src/billing/import/rival-sweep.ts';
const JOB = 'src/billing/import/job/job-file.ts';
const EXISTING = 'src/billing/import/existing-statements.ts';

const SCHEDULES = ['test/billing/import/schedules.test.ts'];
const NUMBERS = ['test/commands/billing-statements/import/numbers.test.ts'];
const OTHERS = ['test/billing/import/rivals.test.ts'];
const ANSWERS = ['test/billing/import/answers.test.ts'];
const OUTAGE = ['test/billing/import/outage.test.ts'];

/** @type {readonly import('./planted.mjs').Planted[]} */
export const IMPORTS = [
  // What two computers with one file agree on.
  {
    harm: 'An import does not wait until its reads show what another one made: both bill each row.',
    file: 'src/billing/statement/workflow/service-timing.ts',
    find: '(settle > 0 ? lag + 1000 : lag)',
    replace: '(settle > 0 ? 1000 : lag)',
    tests: SCHEDULES,
  },
  {
    harm: 'Of two drafts of one second, each import takes its own for the older one: both are billed.',
    file: 'src/billing/statement/workflow/service-timing.ts',
    find: 'settle > 0 ? lag + 1000 : lag)',
    replace: 'settle > 0 ? lag : lag)',
    tests: SCHEDULES,
  },
  {
    harm: 'An import does not look at what others made before it finalizes: two computers bill each row.',
    file: RUN,
    find: 'await this.#resolveRivals();\n',
    replace: 'if (!hasDrafts) await this.#resolveRivals();\n',
    tests: SCHEDULES,
  },
  {
    harm: 'The youngest draft of a row stays instead of the oldest: one that was older is open already, and both are billed.',
    file: SWEEP,
    find: "rival.status !== 'draft' || !oldest || oldestFirst(rival, oldest) < 0",
    replace: "rival.status !== 'draft' || !oldest || oldestFirst(rival, oldest) > 0",
    tests: SCHEDULES,
  },
  {
    harm: 'What is open already counts only where it is older: a row that another import has billed is billed again.',
    file: SWEEP,
    find: "rival.status !== 'draft' || !oldest || oldestFirst",
    replace: '!oldest || oldestFirst',
    tests: SCHEDULES,
  },
  {
    harm: 'An import that leaves a row to another one keeps its draft, which somebody finalizes one day.',
    file: SWEEP,
    find: '...(winner && isOwnDraft ? [own] : [])',
    replace: '...(winner && isOwnDraft && !own ? [own] : [])',
    tests: SCHEDULES,
  },
  {
    harm: 'A row that another computer imports with other content is billed by both.',
    file: EXISTING,
    find: 'job.rowWithExternalId(id) ??',
    replace: "job.rowWithExternalId('') ??",
    tests: SCHEDULES,
  },
  {
    harm: 'A row that another import began with other content in the second in which the list ended is billed by both.',
    file: SWEEP,
    find: 'created_at < newest - READ_MARGIN))',
    replace: 'created_at <= newest))',
    tests: SCHEDULES,
  },
  {
    harm: 'What a person voided is never billed again, also where the import is told to try again.',
    file: SWEEP,
    find: '|| ended.has(id) || job.isOther(id)) continue;',
    replace: '|| (ended.has(id) && !row) || job.isOther(id)) continue;',
    tests: SCHEDULES,
  },
  {
    harm: 'A draft that is taken over is finalized without another look: what its import billed meanwhile is billed twice.',
    file: 'src/billing/import/job/run-journals.ts',
    find: "(call === 'draft' || call === 'take_over')) job.setRivalsChecked(false)",
    replace: "call === 'draft') job.setRivalsChecked(false)",
    tests: SCHEDULES,
  },
  {
    harm: 'Of two drafts that were left, the one is adopted that others do not take for the winner: both are billed.',
    file: 'src/billing/import/existing-statements.ts',
    find: 'rank(one) - rank(other) || oldestFirst(one.statement, other.statement)',
    replace: 'rank(one) - rank(other) || oldestFirst(other.statement, one.statement)',
    tests: SCHEDULES,
  },

  // Numbers that look alike, and rows that another statement bills.
  {
    harm: 'A number in small letters is billed again.',
    file: 'src/input/own-numbers.ts',
    find: '.toUpperCase()',
    replace: '',
    tests: NUMBERS,
  },
  {
    harm: 'A row that was corrected after its bill is passed over as if it were billed.',
    file: EXISTING,
    find: '!isDraft(statement) && same ? ',
    replace: '!isDraft(statement) ? ',
    tests: NUMBERS,
  },
  {
    harm: 'A statement that was billed under the exact value of a cell is billed again under the shown text.',
    file: JOB,
    find: 'WHERE key = ? OR raw_key = ?',
    replace: 'WHERE key = ? OR raw_key = NULL AND ?',
    tests: ['test/billing/import/existing-statements.test.ts'],
  },

  // Customers that several make.
  {
    harm: 'Two computers with one file leave each new customer there twice.',
    file: RUN,
    find: "await this.#retrying('', () => this.#sweep.mergeCustomers());",
    replace: 'job.confirmCustomers();',
    tests: SCHEDULES,
  },
  {
    harm: 'Each computer takes its own new customer for the only one, since its reads do not show the other yet.',
    file: RUN,
    find: "await this.#waitForReads('customers');\n      await this.#retrying('', () => this.#sweep.mergeCustomers());",
    replace: "await this.#retrying('', () => this.#sweep.mergeCustomers());",
    tests: SCHEDULES,
  },
  {
    harm: 'A customer that a person bills meanwhile is deleted.',
    file: SWEEP,
    find: 'if (Number(customer.next_billing_statement_sequence_number) !== 1) return false;',
    replace: '',
    tests: SCHEDULES,
  },
  {
    harm: 'A new customer whose creation was killed is made once more.',
    file: JOB,
    find: "'INSERT INTO event (of, n, event) VALUES (?, (SELECT coalesce(max(n), 0) + 1 FROM event WHERE of = ?), ?)',",
    replace:
      "`INSERT INTO event (of, n, event) SELECT ?1, (SELECT coalesce(max(n), 0) + 1 FROM event WHERE of = ?2), ?3 WHERE NOT (?1 LIKE '%@%')`,",
    tests: SCHEDULES,
  },

  // A process that goes on.
  {
    harm: 'An import that was killed after a send says that it was not sent.',
    file: 'src/billing/import/job/run-journals.ts',
    find: "return call === 'send' ? {phase: 'finishing', sent: 'unknown'} : undefined;",
    replace: "return call === 'send' ? {phase: 'finishing'} : undefined;",
    tests: SCHEDULES,
  },
  {
    harm: 'An import is billed again by a computer that looks at the account when the first one has ended.',
    file: EXISTING,
    find: 'if (made) return [',
    replace: 'if (made && !made.isSame) return [',
    tests: SCHEDULES,
  },
  {
    harm: 'A service that cannot be reached for five seconds while two imports are compared ends the import.',
    file: RUN,
    find: 'if (!isWorthRetrying(error) || (error',
    replace: 'if (round > 0 || (error',
    tests: OUTAGE,
  },
  {
    harm: 'A list that leaves out metadata hides what another computer bills: both bill each row.',
    file: SWEEP,
    find: "yield planKeyOf(listed) === 'omitted'",
    replace: "yield planKeyOf(listed) === 'omitted' && listed.deleted",
    tests: ANSWERS,
  },
  {
    harm: 'What was deleted, and an old list still has, keeps a row from ever being billed.',
    file: SWEEP,
    find: 'if (statement) return {...rival, status: statement.status};',
    replace: 'return {...rival, status: statement?.status};',
    tests: ANSWERS,
  },
  {
    harm: 'A deleted customer, of whom the service keeps the id, is not found any more: nobody sees what is still owed.',
    file: ACCOUNT,
    find: '?.deleted === true ? undefined : found;',
    replace: '?.deleted === null ? undefined : found;',
    tests: ['test/commands/customers/deleted-customers.test.ts'],
  },
  {
    harm: 'A service that ignores that it was asked for one address decides who is billed.',
    file: ACCOUNT,
    find: 'found.push(...currentCustomersOf(page).filter(fits));',
    replace: 'found.push(...currentCustomersOf(page));',
    tests: ANSWERS,
  },
  {
    harm: 'A row that was billed with other content while a person was asked is billed again.',
    file: 'src/billing/import/cli/recheck-account.ts',
    find: 'const [made] = isFresh ? [] : await findCreatedSince(context, job, options);',
    replace: 'const [made] = isFresh || job ? [] : await findCreatedSince(context, job, options);',
    tests: OTHERS,
  },
];
