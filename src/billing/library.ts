// What the room offers to commands, which load it when they need it.

export {composeStatement, SETTLE_SECONDS} from './compose.js';
export {customerByEmail} from './find.js';
export {earlierRuns} from './journal.js';
export {recordingClient} from './recorder.js';
