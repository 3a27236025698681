// Exports for commands, which load this module only when needed.

export {isLoopbackHost} from '../http/addresses.js';
export {chosenCases, NOT_COUNTED, readHandler, runConformance} from './conformance/conformance.js';
export {effectCounter, readStateCommand} from './conformance/effect-counter.js';
export {junitReport} from './conformance/report.js';
export {explainRefusal} from './forward/answers.js';
export {Forwarder} from './forward/forwarder.js';
export {firstMatchWins, readRoute, readTarget} from './forward/targets.js';
export {Automation, startApp} from './listen/automation.js';
export {locateProgram} from '../processes/child-program.js';
export {checkEnvFile, readEnvTarget} from './listen/env-file.js';
export {startListener} from './listen/listener.js';
export {diagnoseSignature} from './signature/diagnosis.js';
export {explainReason, isUsableSecret} from './signature/signature.js';
export {mergeInto, postSigned, syntheticEvent} from './signature/synthetic.js';
export {deliveryOutcomeOf, listenerRecordOf} from './store/listener-record.js';
export {openDeliveries} from './store/deliveries.js';
export {deadLeasesIn} from './store/endpoints.js';
export {readTunnel} from './tunnels/providers.js';
