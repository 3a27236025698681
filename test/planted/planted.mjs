// Bugs that would hurt a user, each with the tests that must find it. test/planted/run.mjs plants them one at a time.
// Whoever rewrites what one of them is planted in plants it in the new code: what a user would suffer stays the same.

import {ENGINE} from './engine.mjs';
import {IMPORTS} from './imports.mjs';

/**
 * @typedef {object} Planted
 * @property {string} suffers what a user would suffer
 * @property {string} file
 * @property {string} find stands in the file exactly once
 * @property {string} replace
 * @property {readonly string[]} tests files of tests that start no process of the program, in which at least one expectation must fail
 * @property {string} [title] words of the titles of those that are run, where all of a file take long
 */

/** @type {readonly Planted[]} */
export const PLANTED = [
  // What is billed, and how often.
  {
    suffers: 'A statement that was sent yesterday is sent again without a word.',
    file: 'src/cli/operations/guard-operation.ts',
    find: 'return send ? [{id, ...send}] : [];',
    replace: 'return send && !ids.includes(id) ? [{id, ...send}] : [];',
    tests: ['test/commands/billing-statements/sending-once.test.ts'],
  },
  {
    suffers: 'After a lost answer a row does not wait: an item that arrives late is billed twice.',
    file: 'src/billing/statement/workflow/decide.ts',
    find: 'if (asOf >= endedAt + settle) return undefined;',
    replace: 'if (asOf >= endedAt - 60_000) return undefined;',
    tests: ['test/billing/import/schedules.test.ts'],
  },
  {
    suffers: 'A statement that somebody changed meanwhile is sent with another total than was confirmed.',
    file: 'src/billing/statement/workflow/decide.ts',
    find: "if (plan.items.length > 0 && !matchesPlan(plan, state, view.statement)) return stopAction('mismatch');",
    replace: '',
    tests: ['test/commands/billing-statements/import/failures.test.ts'],
    title: 'finalized with another amount',
  },
  {
    suffers: 'A payer whose address is written in another case is made a second time as a customer.',
    file: 'src/billing/import/existing-customers.ts',
    find: 'new Set([email!, ref])',
    replace: 'new Set([email!])',
    tests: ['test/billing/import/existing-customers.test.ts'],
  },
  {
    suffers: 'An import leaves out the first of every thousand rows.',
    file: 'src/billing/import/job/job-file.ts',
    find: 'FROM row WHERE n > ?',
    replace: 'FROM row WHERE n > 1 + ?',
    tests: ['test/commands/jobs/jobs.test.ts'],
    // Others of that file wait at a terminal for a count of rows that never comes.
    title: 'a long job is one document',
  },
  {
    suffers: 'The file with the results of an import could not be written, and the import says that all is well.',
    file: 'src/billing/import/cli/run-import.ts',
    find: 'resultFile = null;\n    keepFirst(failure);',
    replace: 'resultFile = null;',
    tests: ['test/commands/billing-statements/import/failures.test.ts'],
  },
  {
    suffers: 'An import that took two months is removed a month after its end: it can bill its file again.',
    file: 'src/billing/import/cli/find-jobs.ts',
    find: 'now - endedAt >= RETENTION',
    replace: 'now - createdAt >= KEPT',
    tests: ['test/commands/jobs/jobs.test.ts'],
  },

  // Days and months.
  {
    suffers: 'What was billed and paid in the last second of a month is in the books of the next one, too.',
    file: 'src/billing/reports/month-report.ts',
    find: 'until: startOfMonth(monthAfter(month)) - 1}',
    replace: 'until: startOfMonth(monthAfter(month))}',
    tests: ['test/billing/reports/month-report.test.ts'],
  },
  {
    suffers: 'A statement that was paid online counts as paid in cash as well.',
    file: 'src/billing/reports/month-report.ts',
    find: "const settled = statement.status === 'void' ? settlementOf(settlements, statement) : undefined;",
    replace: 'const settled = settlementOf(settlements, statement);',
    tests: ['test/billing/reports/month-report.test.ts'],
  },
  {
    suffers: 'A refund that was made since is missing in the books of the month.',
    file: 'src/billing/reports/month-report.ts',
    find: 'await receipts.receiptOf(listed, true)',
    replace: 'await receipts.receiptOf(listed)',
    tests: ['test/commands/paid.test.ts'],
  },
  {
    suffers: 'A refund lowers what was billed, and the customer owes less than was sent.',
    file: 'src/billing/reports/ledger.ts',
    find: "part('refund', at, place, {payment_id, refunded: centavos})",
    replace: "part('refund', at, place, {payment_id, refunded: centavos, billed: -centavos})",
    tests: ['test/billing/reports/ledger.test.ts'],
  },
  {
    suffers: 'A reminder by name goes out for a draft or a paid statement of the customer instead of the open one.',
    file: 'src/commands/billing-statements/remind/remind.ts',
    find: "{changes: true, status: 'open'}",
    replace: '{changes: true}',
    tests: ['test/commands/billing-statements/remind.test.ts'],
    title: 'whole name',
  },
  {
    suffers: 'Voiding an import voids a statement that was paid while a person was asked.',
    file: 'src/commands/jobs/void.ts',
    find: "if (now.status !== statement.status && now.status !== 'void') throw",
    replace: "if (now.status === 'draft') throw",
    tests: ['test/commands/jobs/void.test.ts'],
  },
  {
    suffers: 'Customers who paid in cash are left out of next month’s bills.',
    file: 'src/billing/import/export-month.ts',
    find: "listed.status === 'void' && settlementOf(settled, listed) !== undefined",
    replace: 'false',
    tests: ['test/commands/paid.test.ts'],
    title: 'cash stays',
  },
  {
    suffers: 'The export of a month lacks what was billed in the first eight hours of its first day.',
    file: 'src/common/manila.ts',
    find: 'Date.UTC(year, month - 1, 1) / 1000 - MANILA_OFFSET',
    replace: 'Date.UTC(year, month - 1, 1) / 1000',
    tests: ['test/billing/import/export-month.test.ts'],
  },
  {
    suffers: 'What was due on 31 January is due on 3 March next.',
    file: 'src/billing/import/export-month.ts',
    find: 'Math.min(day, last)',
    replace: 'day',
    tests: ['test/billing/import/export-month.test.ts'],
  },
  {
    suffers: 'Between midnight and eight in the morning a statement is overdue a day too late.',
    file: 'src/common/manila.ts',
    find: 'Math.floor((at + MANILA_OFFSET) / DAY)',
    replace: 'Math.floor(at / DAY)',
    tests: ['test/cli/presentation/words.test.ts'],
  },
  {
    suffers: 'A customer is told to be overdue on the day on which the statement is due.',
    file: 'src/api/statement.ts',
    find: 'manilaDay(now) - manilaDay(due)',
    replace: 'manilaDay(now) - manilaDay(due) + 1',
    tests: ['test/billing/reports/aging.test.ts', 'test/cli/presentation/words.test.ts'],
  },
  {
    suffers: 'A list up to a day leaves out what was made in its last second.',
    file: 'src/cli/lists/list-filters.ts',
    find: 'createdAtOf(item) > until',
    replace: 'createdAtOf(item) >= until',
    tests: ['test/cli/lists/list-filters.test.ts'],
  },
  {
    suffers: 'With the sandbox clock moved forward, everything is shown as of today.',
    file: 'src/context/context.ts',
    find: '(opened.sandboxNow ?? now)()',
    replace: 'now()',
    tests: ['test/commands/sandbox/clock.test.ts'],
  },

  // Amounts.
  {
    suffers: '₱1.5 is read as ₱1.05.',
    file: 'src/input/money.ts',
    find: "fraction.padEnd(2, '0')",
    replace: "fraction.padStart(2, '0')",
    tests: ['test/input/money.test.ts'],
  },
  {
    suffers: 'A total is that of one piece of each item.',
    file: 'src/input/items.ts',
    find: 'BigInt(quantity)',
    replace: '1n',
    tests: ['test/input/money.test.ts'],
  },
  {
    suffers: 'A payment can be refunded more than once.',
    file: 'src/sandbox/actions/payments.ts',
    find: 'if (amount > refundable)',
    replace: 'if (amount > payment.amount)',
    tests: ['test/sandbox/money.test.ts', 'test/specification/payment-endpoints.test.ts'],
  },

  // What stands between a command and a change.
  {
    suffers: 'A change is made in live mode without --live.',
    file: 'src/guard/guard.ts',
    find: "if (mode !== 'live' || live) return;",
    replace: "if (mode !== 'live' || live !== false) return;",
    tests: ['test/commands/billing-statements/import/confirmed.test.ts'],
  },
  {
    suffers: 'A change of more than the limit of the profile is made.',
    file: 'src/guard/guard.ts',
    find: 'amount <= BigInt(maxAmount.value)',
    replace: 'amount >= 0n',
    tests: ['test/commands/billing-statements/import/confirmed.test.ts'],
  },
  {
    suffers: 'A live key that is stored in the place of a test key is used.',
    file: 'src/config/keys/chosen-key.ts',
    find: 'if (actual === slot) return key;',
    replace: 'return key;',
    tests: ['test/config/keys/chosen-key.test.ts'],
  },
  {
    suffers: 'The key of one account is sent to the address of another.',
    file: 'src/config/resolve.ts',
    find: 'if (origin === stored.origin) return;',
    replace: 'if (stored.origin) return;',
    tests: ['test/config/resolve-origins.test.ts'],
  },

  // What is on the disk, and when.
  {
    suffers: 'A change that could not be recorded is sent: after a crash nobody knows of it.',
    file: 'src/history/history.ts',
    find: "throw new CentavoError('local_io', `${what} could not be recorded",
    replace:
      "if (what.startsWith('nothing')) return 0 as T;\n      throw new CentavoError('local_io', `${what} could not be recorded",
    tests: ['test/history/audit.test.ts', 'test/history/refusals.test.ts'],
  },
  {
    suffers: 'After a power cut the history does not know that a statement was being sent.',
    file: 'src/storage/sqlite.ts',
    find: "durable ? 'FULL' : 'OFF'",
    replace: "durable ? 'OFF' : 'OFF'",
    tests: ['test/storage/sqlite.test.ts'],
  },
  {
    suffers: 'A process that is killed between a file and its record cannot replace the file any more.',
    file: 'src/storage/private-file.ts',
    find: "record?.(hash.digest('hex'));\n  renameInto(path, temporary);",
    replace: "renameInto(path, temporary);\n  record?.(hash.digest('hex'));",
    tests: ['test/storage/durable.test.ts'],
  },

  // The client.
  {
    suffers: 'A change whose answer was lost is sent again.',
    file: 'src/http/retry.ts',
    find: '!attempt.permanent && (!write || !attempt.sent)',
    replace: '!attempt.permanent',
    tests: ['test/http/retry.test.ts'],
  },
  {
    suffers: 'After a 500, which may have been applied, it is said that nothing was.',
    file: 'src/client/call.ts',
    find: '(status >= 500 || status === 408)',
    replace: '(status > 500 || status === 408)',
    tests: ['test/client/faults-writes.test.ts'],
  },
  {
    suffers: 'Of a long list only the first page is read.',
    file: 'src/client/pages.ts',
    find: 'if (!page.has_more) return;',
    replace: 'if (page.data.length > 0) return;',
    tests: ['test/client/pages.test.ts'],
  },

  // The sandbox and its webhooks.
  {
    suffers: 'A page in a browser, of whatever site, reads and changes what is in the sandbox.',
    file: 'src/http/server.ts',
    find: 'return isLoopback ||',
    replace: 'return isLoopback || name.length > 0 ||',
    tests: ['test/sandbox/serve/http.test.ts'],
  },
  {
    suffers: 'A website that is open in the same browser presses the buttons of the studio.',
    file: 'src/sandbox/serve/sandbox-server.ts',
    find: 'isOwn && origin === `http://${host}`',
    replace: 'isOwn',
    tests: ['test/sandbox/studio/guards.test.ts'],
  },
  {
    suffers: 'Any program of this machine presses the buttons of the studio, without knowing its address.',
    file: 'src/sandbox/studio/studio.ts',
    find: 'if (!hasButtons)\n        throw refused(403,',
    replace: "if (base === '')\n        throw refused(403,",
    tests: ['test/sandbox/studio/buttons.test.ts', 'test/sandbox/studio/guards.test.ts'],
  },
  {
    suffers: 'The name of a customer is a part of the page on which the studio shows it.',
    file: 'src/sandbox/studio/format.ts',
    find: ': html`<bdi>${shown}</bdi>`',
    replace: ': html([`<bdi>${shown}</bdi>`] as never)',
    tests: ['test/sandbox/studio/hostile.test.ts'],
  },
  {
    suffers: 'After going back to a snapshot, links to pay and the studio lead to a server that has ended.',
    file: 'src/sandbox/studio/snapshots.ts',
    find: 'INSERT OR IGNORE INTO',
    replace: 'INSERT OR REPLACE INTO',
    tests: ['test/sandbox/studio/buttons.test.ts'],
  },
  {
    suffers: 'A shell runs what is in the name of a profile when Tab is pressed.',
    file: 'src/cli/dispatch/complete.ts',
    find: '(SAFE.test(word) && ',
    replace: '(',
    tests: ['test/commands/completion/candidates.test.ts'],
  },
  {
    suffers: 'Tab offers the numbers of the test account for the live one.',
    file: 'src/cli/dispatch/complete.ts',
    find: "{profile, live: given.has('live')}",
    replace: '{profile}',
    tests: ['test/commands/completion/candidates.test.ts'],
  },
  {
    suffers: 'doctor finds a problem, and a script takes the set-up for a good one.',
    file: 'src/commands/doctor/doctor.ts',
    find: 'if (problems === 0) return;',
    replace: 'if (problems <= 1) return;',
    tests: ['test/commands/doctor.test.ts'],
  },
  {
    suffers: 'An import says that it changed a draft which another computer had opened.',
    file: 'src/billing/import/run-job.ts',
    find: ' && hasOwned(journal.run, outcome.statement);',
    replace: ' && isOrWasOf(ownersOf(outcome.statement).owner!, outcome.statement);',
    tests: ['test/billing/import/simulated-imports.test.ts'],
  },
  {
    suffers: 'A list that ends with a full page promises another one.',
    file: 'src/sandbox/store.ts',
    find: 'hasMore: found.length > limit',
    replace: 'hasMore: found.length >= limit',
    tests: ['test/specification/pagination.test.ts'],
  },
  {
    suffers: 'Webhooks arrive in another order than the service sends them in.',
    file: 'src/sandbox/delivery/outbox.ts',
    find: 'ORDER BY due, seq LIMIT 1',
    replace: 'ORDER BY seq LIMIT 1',
    tests: ['test/sandbox/delivery/outbox.test.ts'],
  },
  {
    suffers: 'A forged event is called genuine.',
    file: 'src/webhooks/signature/signature.ts',
    find: "if (secretIndex < 0) return refuse('no_match');",
    replace: '',
    tests: ['test/webhooks/signature/cases.test.ts'],
  },
  {
    suffers: 'An event that was recorded last week and is played again is called genuine.',
    file: 'src/webhooks/signature/signature.ts',
    find: '!(Math.abs(age) <= tolerance)',
    replace: '-age > tolerance',
    tests: ['test/webhooks/signature/cases.test.ts'],
  },
  {
    suffers: 'An event that could not be stored is acknowledged, and never comes again.',
    file: 'src/webhooks/receive/receiver.ts',
    find: "{reason: 'not_stored', status: 503}",
    replace: "{reason: 'not_stored', status: 200}",
    tests: ['test/webhooks/store/crash.test.ts'],
    title: 'a folder that is taken away',
  },

  // What a developer sees of a webhook.
  {
    suffers: 'Why an order is not marked paid is looked for in the app, although an earlier event holds the payment’s.',
    file: 'src/commands/why/diagnosis.ts',
    find: "  'held',\n  'dropped',\n  'waiting',\n  'not_forwarded',\n  'delivered',\n",
    replace: "  'dropped',\n  'waiting',\n  'not_forwarded',\n  'delivered',\n  'held',\n",
    tests: ['test/commands/why/why.test.ts'],
  },
  {
    suffers: 'A payment that failed is said to be one that nobody has tried.',
    file: 'src/sandbox/requests/request-log-queries.ts',
    find: "instr(entry, ?) OR instr(request_body, ?)'",
    replace: "instr(request_body, ?) OR instr(request_body, ?)'",
    tests: ['test/commands/why/why.test.ts'],
  },
  {
    suffers: 'A replay of yesterday’s event is refused by the app, as its signature is too old.',
    file: 'src/webhooks/forward/forwarder.ts',
    find: 'number > 1 || flags.replay',
    replace: 'number > 1',
    tests: ['test/commands/webhooks/listen/lasting.test.ts', 'test/commands/webhooks/deliveries.test.ts'],
  },
  {
    suffers: 'The answers of an app fill the disk.',
    file: 'src/webhooks/store/forward-log.ts',
    find: '.run(rowid - KEPT_RESPONSES)',
    replace: '.run(-rowid - KEPT_RESPONSES)',
    tests: ['test/webhooks/store/deliveries.test.ts'],
  },
  {
    suffers: 'The log of the sandbox keeps a client secret.',
    file: 'src/sandbox/requests/request-log.ts',
    find: '(_secret_|whsk_|',
    replace: '(whsk_|',
    tests: ['test/sandbox/requests/request-log.test.ts'],
  },
  {
    suffers: 'The log of the sandbox grows without a limit.',
    file: 'src/sandbox/requests/request-log.ts',
    find: 'ORDER BY seq DESC LIMIT 1 OFFSET ?)',
    replace: 'ORDER BY seq LIMIT 1 OFFSET ?)',
    tests: ['test/sandbox/requests/request-log.test.ts'],
  },
  {
    suffers: 'A web page that is rebound to this machine reads the sandbox.',
    file: 'src/sandbox/serve/sandbox-server.ts',
    find: 'if (hosts.length === 1 && isOwnHost(hosts[0]!, port, allowed)) return;',
    replace: 'if (hosts.length === 1) return;',
    tests: ['test/sandbox/serve/http.test.ts'],
  },

  // What is shown and said.
  {
    suffers: 'A live key is printed.',
    file: 'src/output/redaction/patterns.ts',
    find: '([sp]k_(?:test|live)_)[A-Za-z0-9_]{4,}',
    replace: '([sp]k_(?:test)_)[A-Za-z0-9_]{4,}',
    tests: ['test/output/redaction/redactor.test.ts'],
  },
  {
    suffers: 'The other columns of a row are moved by a name in Japanese.',
    file: 'src/output/text-width.ts',
    find: 'used += widthOf(grapheme)',
    replace: 'used += 1',
    tests: ['test/output/tables/text-width.test.ts'],
  },
  {
    suffers: 'A statement is overdue 1 days.',
    file: 'src/common/counts.ts',
    find: "number === 1 ? '' : 's'",
    replace: "'s'",
    tests: ['test/cli/presentation/words.test.ts'],
  },
  {
    suffers: 'An error does not say that nothing was changed.',
    file: 'src/cli/dispatch/print-error.ts',
    find: "no: 'Nothing was changed.'",
    replace: "no: ''",
    tests: ['test/cli/dispatch/print-error.test.ts'],
  },
  {
    suffers: 'A script takes a payment in doubt for one that failed: the exit status is another.',
    file: 'src/common/errors.ts',
    find: 'exit: 10,',
    replace: 'exit: 8,',
    tests: ['test/surface.test.ts'],
  },
  {
    suffers: 'Another program that is started, such as a browser, gets the key.',
    file: 'src/common/environment.ts',
    find: '!holdsSecret(name)',
    replace: "name !== ''",
    tests: ['test/common/environment.test.ts'],
  },
  {
    suffers:
      'An unfinished import loses its job file at once: nothing knows what it billed, and jobs void cannot undo it.',
    file: 'src/commands/jobs/remove.ts',
    find: "if (job?.state === 'running')",
    replace: "if (job?.state === 'running' && !flags.yes)",
    tests: ['test/commands/jobs/jobs.test.ts'],
  },
  {
    suffers: 'The clock is set while an import runs: another command takes its work over, and both send.',
    file: 'src/processes/process-identity.ts',
    find: 'startedAt: startOf(pid) ?? startedAt',
    replace: 'startedAt',
    tests: ['test/processes/program.test.ts'],
  },
  {
    suffers: 'An app that answered 500 once and 404 then is said to have answered 404 twice.',
    file: 'src/common/counts.ts',
    find: "attempts <= 1 ? '' : same ?",
    replace: "attempts <= 1 ? '' : same || attempts > 1 ?",
    tests: ['test/commands/why/why.test.ts'],
  },
  {
    suffers: 'An import of rows without a due date proposes to send them, which is refused.',
    file: 'src/commands/billing-statements/import.ts',
    find: 'if (due !== null) continue;',
    replace: 'if (due !== undefined) continue;',
    tests: ['test/commands/billing-statements/import/import.test.ts'],
  },

  ...ENGINE,
  ...IMPORTS,
];
