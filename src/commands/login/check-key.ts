// Asks the API whether it accepts a key, and whose it is, before the key is stored.

import type {Client} from '../../client/client.js';
import {kindOfKey} from '../../config/keys/keys.js';
import type {Profile} from '../../config/profiles.js';
import {CentavoError, refused} from '../../ground/errors.js';

/** A payment intent that does not exist: a public key can read nothing but payment intents. */
const NO_INTENT = 'pi_0';

/**
 * The account, which the API names on statements only: there may be none.
 * @throws CentavoError kind `auth` for a refused key, `unavailable` when it cannot be checked, `refused` for one of the other mode
 */
export async function checkWithApi(client: Client, key: string, signal: AbortSignal): Promise<Profile['merchant']> {
  const {mode, isPublic} = kindOfKey(key);
  if (isPublic) return void (await checkPublicKey(client, signal));
  const {data} = await client.billingStatements.list({limit: 1}, {signal});
  const [statement] = data;
  if (!statement) return undefined;
  if (typeof statement.livemode === 'boolean' && statement.livemode !== (mode === 'live')) {
    throw refused('mode_mismatch', `the API answered in ${mode === 'live' ? 'test' : 'live'} mode to a ${mode} key.`, {
      why: 'The mode does not match the key.',
      hint: 'Check the address: --base-url',
    });
  }
  const {merchant_id: id, billing_statement_merchant_name: name} = statement;
  if (typeof id !== 'string' || id === '') return undefined;
  return {id, name: typeof name === 'string' && name !== '' ? name : null};
}

/** To a valid key the API answers that there is no such intent; it refuses any other key. */
async function checkPublicKey(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await client.paymentIntents.get(NO_INTENT, {client_secret: `${NO_INTENT}_secret_0`}, {signal});
  } catch (error) {
    if (!(error instanceof CentavoError) || !['not_found', 'rejected'].includes(error.kind)) throw error;
    const {apiErrors = [], request, status} = error.details;
    if (apiErrors.length > 0 && error.code !== 'route_not_found') return;
    throw new CentavoError('unavailable', 'the API returned an unexpected response.', {
      code: 'unusable_answer',
      why: `It answered HTTP ${status}, but not like the Payments API.`,
      status,
      request,
    });
  }
}
