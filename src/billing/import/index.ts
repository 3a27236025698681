// The parts of imports that commands use; loaded when a command needs them.

export {notFoundIsNothing} from '../account.js';
export {editsOf, itemsOf} from '../compose/plan.js';
export {findExisting, onePerRow, type Existing} from './existing-statements.js';
export {findJobCustomers} from './existing-customers.js';
export {JobFile} from './job/file.js';
export {isNumbered, readStatements} from './read-statements.js';
export {runJob} from './run.js';
export {Workers} from './workers.js';
