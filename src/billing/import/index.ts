// Imports: many statements from a file. Loaded when a command needs them.

export {exportMonth, monthAfter, monthOf, monthText} from '../export.js';
export {findExisting, type Existing} from './existing.js';
export {findCustomers} from './existing-customers.js';
export {JobFile} from './job-file.js';
export {readStatements} from './read-statements.js';
export {runJob} from './run.js';
export {Workers} from './workers.js';
