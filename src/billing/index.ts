// The parts of billing that commands use; loaded when a command needs them.

export {
  customerIfThere,
  customerPages,
  customersLike,
  customersOn,
  deletedCustomers,
  findCustomers,
  fitsCustomer,
  getStatement,
  hasNumber,
  ownValuesOf,
  searchStatements,
  statementIfThere,
  statementPages,
  statementsOfCustomers,
  statementsWithKey,
  toldApart,
} from './account.js';
export {exportMonth} from './export.js';
export {identicalOpen} from './identical.js';
export {barrierOf, OVER_HTTP, takeOverOf, timingOf} from './engine/decide.js';
export {beginRun, rehearseRun, unwritten} from './engine/journal.js';
export {runPlan} from './engine/run.js';
export {BUCKETS, totalOwed} from './books/aging.js';
export {endsRun, planReminders, readNamed, readOverdue, remind} from './remind.js';
export {nameCustomers, readOwed} from './books/owed.js';
export {editsOf, itemsOf} from './compose/plan.js';
export {recordingClient} from './compose/recorder.js';
export {unfinishedOf, unfinishedStore} from './unfinished.js';
export {createParamsOf, OWN_KEYS, plannedItems} from './compose/copy.js';
export {ledgerOf} from './books/ledger.js';
export {isIn, paidAt, readMonth, readReceived, replacementsOf, sumOf, totalsOf} from './books/money-in.js';
export {fewAtATime, paymentOfStatement, Receipts, refundable, saidReceipt} from './books/payments.js';
export {nextStep, readReissued, reissueStatement} from './reissue.js';
export {waitForStatus} from './wait.js';
export {knownOfStatements} from './known.js';
