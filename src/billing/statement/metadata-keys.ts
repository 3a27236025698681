// Metadata keys of statements that belong to centavo.

import {REPLACES_KEY} from '../../accounting/replacements.js';

export {replacedBy, REPLACES_KEY} from '../../accounting/replacements.js';

/** Metadata key with the plan's id, which finds the draft if the create response was lost. */
export const PLAN_KEY = 'centavo_key';
/** Metadata key with the draft's owner: the random key of a run. */
export const RUN_KEY = 'centavo_run';
/** Metadata key with the previous owners, separated by spaces. */
export const PREVIOUS_RUNS_KEY = 'centavo_was';
/** Metadata key with the full amount of a replacement, in centavos. */
export const AMOUNT_KEY = 'centavo_amount';

/** Metadata key with the period that an import bills: `2026-11`. */
export const PERIOD_KEY = 'centavo_period';
/** Metadata key with the merchant's own number of a statement, from an import file. */
export const EXTERNAL_ID = 'external_id';

/** Metadata keys reserved for centavo: users cannot set them, and copies omit them. */
export const OWN_KEYS: readonly string[] = [PLAN_KEY, RUN_KEY, PREVIOUS_RUNS_KEY, REPLACES_KEY, AMOUNT_KEY, PERIOD_KEY];
