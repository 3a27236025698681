// What commands use of this room, in one place, loaded when a command listens or looks at deliveries.

export {accountName} from './accounts.js';
export {changesBetween, objectOf} from './changes.js';
export {openDeliveries, type DeliveryStore} from './deliveries.js';
export {parseEnvTarget, writeEnvFile} from './env-file.js';
export {everyEvent, firstMatchWins, parseEventFilter, parseRoute, type ForwardTarget} from './filters.js';
export {isLoopbackHost} from './addresses.js';
export {createForwarder} from './forwarder.js';
export {listen} from './listener.js';
export type {Registrar} from './registration.js';
export {aliveBy} from './processes.js';
export {runForEvent, startApp} from './programs.js';
export {explainReason, isUsableSecret} from './signature.js';
export {mergeInto, postSigned, syntheticBody} from './synthetic.js';
export {parseTarget, targetLabel} from './targets.js';
export {parseTunnel} from './tunnels/parse.js';
