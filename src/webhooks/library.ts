// What commands use of this room, in one place, loaded when a command listens or looks at deliveries.

export {accountName} from './listen/accounts.js';
export {changesBetween, objectOf} from './listen/changes.js';
export {openDeliveries, type DeliveryStore} from './store/deliveries.js';
export {parseEnvTarget, writeEnvFile} from './listen/env-file.js';
export {everyEvent, firstMatchWins, parseEventFilter, parseRoute, type ForwardTarget} from './listen/filters.js';
export {isLoopbackHost} from '../http/addresses.js';
export {createForwarder} from './forward/forwarder.js';
export {listen} from './listen/listener.js';
export type {Registrar} from './listen/registration.js';
export {aliveBy} from '../programs/identity.js';
export {endWords} from '../programs/program.js';
export {runForEvent, startApp} from './listen/programs.js';
export {explainReason, isUsableSecret} from './signature/signature.js';
export {mergeInto, postSigned, syntheticBody} from './signature/synthetic.js';
export {parseTarget, targetLabel} from './forward/targets.js';
export {parseTunnel} from './tunnels/parse.js';
