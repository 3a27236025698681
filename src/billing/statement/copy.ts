// Copies a statement into a new one: the copied fields, and the metadata keys that belong to centavo.

import {statementNumberOf} from '../../api/statement.js';
import {isJsonObject} from '../../common/json.js';
import type {StatementItem} from '../../input/items.js';
import {requireWholeItems, itemContentOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';

/** Metadata key with the plan's id. It finds the draft if the create response was lost. */
export const PLAN_KEY = 'centavo_key';
/** Metadata key with the draft's owner: the random key of a run. */
export const RUN_KEY = 'centavo_run';
/** Metadata key with the previous owners, separated by blanks. */
export const PREVIOUS_RUNS_KEY = 'centavo_was';
/** Metadata key with the id of the replaced statement. */
export const REPLACES_KEY = 'centavo_replaces';
/** Metadata key with the full amount of a replacement, in centavos. */
export const AMOUNT_KEY = 'centavo_amount';

/** Metadata keys that centavo gives a meaning. */
export const OWN_KEYS: readonly string[] = [PLAN_KEY, RUN_KEY, PREVIOUS_RUNS_KEY, REPLACES_KEY, AMOUNT_KEY];

export function replacedBy({metadata}: BillingStatementData): string | undefined {
  const {[REPLACES_KEY]: old} = isJsonObject(metadata) ? metadata : {};
  return typeof old === 'string' ? old : undefined;
}

/** Parameters that create a statement for the same customer, with the same description, metadata and payment methods. */
export function createParamsOf(statement: BillingStatementData): NonNullable<StatementPlan['create']> {
  const {description, billing_details_collection, setup_future_usage, payment_settings} = statement;
  const given = {
    // The default names the number of the other statement.
    description: description === `Payment for Billing Statement ${statementNumberOf(statement)}` ? null : description,
    billing_details_collection,
    setup_future_usage,
    metadata: metadataOf(statement),
    payment_settings: settingsOf(payment_settings),
  };
  return {customer_id: statement.customer_id, currency: 'PHP', ...withoutEmpty(given)};
}

/** @throws CentavoError if the answer has no whole items */
export function plannedItems(statement: BillingStatementData): StatementItem[] {
  requireWholeItems(statement);
  return itemsOf(statement).map(itemContentOf);
}

function metadataOf({metadata}: BillingStatementData): object | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const own = Object.entries(metadata).filter(([key]) => !OWN_KEYS.includes(key));
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** The settings that a create call takes; a service may answer with more. */
function settingsOf(settings: unknown): object | undefined {
  if (!isJsonObject(settings)) return undefined;
  const {payment_methods, payment_method_options: options} = settings;
  const {allowed_bins, allowed_funding} = isJsonObject(options) && isJsonObject(options.card) ? options.card : {};
  const card = withoutEmpty({allowed_bins, allowed_funding});
  const known = withoutEmpty({
    payment_methods,
    payment_method_options: Object.keys(card).length > 0 ? {card} : undefined,
  });
  return Object.keys(known).length > 0 ? known : undefined;
}

const withoutEmpty = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
