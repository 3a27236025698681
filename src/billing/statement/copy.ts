// Copies the parameters and items of a statement for a new one.

import {statementNumberOf} from '../../api/statement.js';
import {isJsonObject} from '../../common/json.js';
import type {StatementItem} from '../../input/items.js';
import {OWN_KEYS} from './metadata-keys.js';
import {requireWholeItems, itemContentOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';

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
