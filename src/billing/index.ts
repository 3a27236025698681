// The parts of billing that commands use; loaded when a command needs them.

export {SETTLE_SECONDS} from './compose/changes.js';
export {exportMonth} from './export.js';
export {identicalOpen} from './identical.js';
export {timingOf} from './engine/decide.js';
export {beginRun, rehearseRun, unwritten} from './engine/journal.js';
export {runPlan} from './engine/run.js';
export {statementsWithKey} from './compose/draft.js';
export {
  allCustomers,
  customerByEmail,
  customersLike,
  customersWithEmail,
  customersWithName,
  deletedCustomers,
  searchStatements,
  statementsOfCustomers,
  statementWithNumber,
} from './find.js';
export {earlierRuns, formerOf, lastSends, NOT_SENT, SENT} from './compose/journal.js';
export {BUCKETS, totalOwed} from './books/aging.js';
export {endsRun, planReminders, readNamed, readOverdue, remind} from './remind.js';
export {readOwed} from './books/owed.js';
export {settlementsIn} from './books/settlements.js';
export {editsOf, itemsOf} from './compose/plan.js';
export {recordingClient} from './compose/recorder.js';
export {unfinishedOf, unfinishedStore} from './unfinished.js';
export {createParamsOf, OWN_KEYS, plannedItems} from './compose/copy.js';
export {ledgerOf} from './books/ledger.js';
export {endedBy, ownRefunds, paymentOfStatement, refundable} from './books/payments.js';
export {nextStep, reissueStatement} from './reissue/reissue.js';
export {readReissued} from './reissue/replacements.js';
export {waitForStatus} from './wait.js';
export {forgetNumbers, knownNumbers} from './known-numbers.js';
