// What the room offers to commands, which load it when they need it.

export {SETTLE_SECONDS} from './changes.js';
export {composeStatement} from './compose.js';
export {customerByEmail, RUN_KEY} from './find.js';
export {earlierRuns, NOT_SENT, SENT} from './journal.js';
export {recordingClient} from './recorder.js';
