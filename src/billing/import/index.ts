// The parts of imports that commands use, loaded on demand.

export {ignoreNotFound} from '../account/account-reader.js';
export {editsOf, itemsOf} from '../statement/plan.js';
export {draftOwnersOf} from '../statement/workflow/decide.js';
export {
  externalIdOf,
  findExisting,
  fixedDueOf,
  isBilledBeside,
  isBilledOtherwise,
  oldestPerRow,
} from './existing-statements.js';
export {findJobCustomers} from './existing-customers.js';
export {JobFile} from './job/job-file.js';
export {valuesOf} from './job/run-journals.js';
export {contentKey, digestOf, readRowsIntoJob} from './read-rows.js';
export {runJob} from './run-job.js';
export {RowWorkers} from './row-workers.js';
