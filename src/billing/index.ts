// The parts of billing that commands use; loaded when a command needs them.

export {SETTLE_SECONDS} from './changes.js';
export {composeStatement} from './compose.js';
export {RUN_KEY, statementsWithKey} from './draft.js';
export {customerByEmail} from './find.js';
export {earlierRuns, NOT_SENT, SENT} from './journal.js';
export {recordingClient} from './recorder.js';
export {unfinishedStore} from './unfinished.js';
