// The parts of billing that commands use; loaded when a command needs them.

export {SETTLE_SECONDS} from './changes.js';
export {composeStatement} from './compose.js';
export {RUN_KEY, statementsWithKey} from './draft.js';
export {
  allCustomers,
  customerByEmail,
  customersLike,
  customersWithEmail,
  customersWithName,
  searchStatements,
  statementWithNumber,
} from './find.js';
export {earlierRuns, lastSends, NOT_SENT, SENT} from './journal.js';
export {BUCKETS, totalOwed} from './aging.js';
export {endsRun, planReminders, readNamed, readOverdue, remind} from './remind.js';
export {readOwed} from './owed.js';
export {settlementsIn} from './settlements.js';
export {recordingClient} from './recorder.js';
export {unfinishedStore} from './unfinished.js';
export {createParamsOf, plannedItems} from './copy.js';
export {ledgerOf} from './ledger.js';
export {endedBy, ownRefunds, paymentOfStatement, refundable} from './payments.js';
export {nextStep, reissueStatement} from './reissue.js';
export {readReissued} from './replacements.js';
export {waitForStatus} from './wait.js';
export {forgetNumbers, knownNumbers} from './known-numbers.js';
