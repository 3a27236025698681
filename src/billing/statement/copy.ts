// Copies the parameters and items of a statement for a new one. Defines the metadata keys that belong to centavo.

import {statementNumberOf} from '../../api/statement.js';
import {isJsonObject} from '../../common/json.js';
import type {StatementItem} from '../../input/items.js';
import {requireWholeItems, itemContentOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';

/** Metadata key with the plan's id, which finds the draft if the create response was lost. */
export const PLAN_KEY = 'centavo_key';
/** Metadata key with the draft's owner: the random key of a run. */
export const RUN_KEY = 'centavo_run';
/** Metadata key with the previous owners, separated by spaces. */
export const PREVIOUS_RUNS_KEY = 'centavo_was';
/** Metadata key with the id of the replaced statement. */
export const REPLACES_KEY = 'centavo_replaces';
/** Metadata key with the full amount of a replacement, in centavos. */
export const AMOUNT_KEY = 'centavo_amount';

/** Metadata keys reserved for centavo: users cannot set them, and copies omit them. */
export const OWN_KEYS: readonly string[] = [PLAN_KEY, RUN_KEY, PREVIOUS_RUNS_KEY, REPLACES_KEY, AMOUNT_KEY];

export function replacedBy({metadata}: BillingStatementData): string | undefined {
  const {[REPLACES_KEY]: old} = isJsonObject(metadata) ? metadata : {};
  return typeof old === 'string' ? old : undefined;
}

/** Returns parameters for a copy: same customer, description, payment settings and metadata, without the reserved keys. */
export function createParamsOf(statement: BillingStatementData): NonNullable<StatementPlan['create']> {
  const {description, billing_details_collection, setup_future_usage, payment_settings} = statement;
  const given = {
    // The default description contains the number of the copied statement.
    description: description === `Payment for Billing Statement ${statementNumberOf(statement)}` ? null : description,
    billing_details_collection,
    setup_future_usage,
    metadata: metadataOf(statement),
    payment_settings: settingsOf(payment_settings),
  };
  return {customer_id: statement.customer_id, currency: 'PHP', ...withoutEmpty(given)};
}

/** @throws CentavoError kind `unavailable` if the API returned incomplete items */
export function plannedItems(statement: BillingStatementData): StatementItem[] {
  requireWholeItems(statement);
  return itemsOf(statement).map(itemContentOf);
}

function metadataOf({metadata}: BillingStatementData): object | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const own = Object.entries(metadata).filter(([key]) => !OWN_KEYS.includes(key));
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** Returns only the settings that a create call accepts: the API may return more. */
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
