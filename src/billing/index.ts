// The parts of billing that commands use; loaded when a command needs them.

export {
  findCustomerById,
  customerPages,
  findCustomersByName,
  currentCustomersOf,
  deletedCustomers,
  findCustomers,
  matchesCustomer,
  getStatement,
  hasStatementNumber,
  metadataValuesOf,
  searchStatements,
  findStatementById,
  sessionPages,
  statementPages,
  statementsOfCustomers,
  statementsWithKey,
  distinguishingDetails,
  planKeyOf,
} from './account/account-reader.js';
export {exportMonth, exportNeeds} from './import/export-month.js';
export {readDelay, HTTP_TIMING, takeoverWait, serviceTimingOf} from './statement/workflow/service-timing.js';
export {beginRun, dryRunJournal, memoryJournal, recordSend, sendsInRuns} from './statement/workflow/journal.js';
export {runPlan} from './statement/workflow/run-plan.js';
export {Aging, BUCKETS, totalReceivable} from './reports/aging.js';
export {stopsReminders, planReminders, REMINDER_PAUSE, sendReminders} from './statement/reminders.js';
export {readNamedStatements, readOverdue} from './statement/reminders.js';
export {nameCustomers, readReceivables} from './reports/receivables.js';
export {differenceOf, editsOf, itemsOf} from './statement/plan.js';
export {recordingClient} from './statement/recording-client.js';
export {unfinishedStatementsOf, unfinishedStore} from './statement/unfinished-store.js';
export {createParamsOf, plannedItems} from './statement/copy.js';
export {OWN_KEYS} from './statement/metadata-keys.js';
export {LEDGER_NEEDS, ledgerOf} from './reports/ledger.js';
export {monthNeeds, monthReportOf, paidNeeds, paymentsReceived, periodSumsOf} from './reports/month-report.js';
export {readBook} from './reports/standings.js';
export {mapWithLimit, paymentOfStatement, ReceiptReader, receiptInStatement} from './reports/receipts.js';
export {nextReissueStep, readReissued, reissueStatement} from './statement/reissue.js';
export {waitForStatus} from './account/wait-for-status.js';
export {statementCache} from './account/lookup-cache.js';
