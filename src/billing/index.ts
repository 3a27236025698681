// The parts of billing that commands use; loaded when a command needs them.

export {SETTLE_SECONDS} from './changes.js';
export {composeStatement} from './compose.js';
export {RUN_KEY} from './draft.js';
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
export {readOwed} from './owed.js';
export {settlementsIn} from './settlements.js';
export {recordingClient} from './recorder.js';
