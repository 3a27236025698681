// Events that are made and signed here, not by the service.

import {isJsonObject, type JsonObject} from '../../common/json.js';
import {guardedLookup} from '../../http/addresses.js';
import {WebhookSender, type WebhookAttempt} from '../../http/webhook-sender.js';
import {signPayload, SIGNATURE, type Payload, type WebhookMode} from './signature.js';

export interface SyntheticEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly mode: WebhookMode;
  /** Unix seconds. */
  readonly now: number;
  /** The part of the id after `evt_`. */
  readonly token: string;
}

export const syntheticEvent = ({type, data, mode, now, token}: SyntheticEvent) => ({
  id: `evt_${token}`,
  resource: 'event',
  type,
  data,
  livemode: mode === 'live',
  pending_webhooks: 1,
  previous_attributes: {},
  created_at: now,
  updated_at: now,
});

/** Merges nested objects at every depth. */
export const mergeInto = (object: JsonObject, set: JsonObject): JsonObject => ({
  ...object,
  ...Object.fromEntries(
    Object.entries(set).map(([key, value]) => {
      const old = object[key];
      return [key, isJsonObject(old) && isJsonObject(value) ? mergeInto(old, value) : value];
    }),
  ),
});

/** Posts once, without following redirects. @param timeout milliseconds */
export async function postSigned(url: URL, payload: Payload, timeout: number): Promise<WebhookAttempt> {
  const sender = new WebhookSender({timeout, lookup: guardedLookup});
  const answer = await sender.post({
    url,
    headers: {
      'content-type': 'application/json',
      [SIGNATURE]: signPayload(payload),
      'user-agent': 'centavo',
    },
    body: payload.body,
  });
  await sender.close();
  return answer;
}
