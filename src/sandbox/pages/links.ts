// Links to payment pages, which contain the object's id and secret.

import type {ApiRequest} from '../../api/wire.js';
import type {IntentRecord, SessionRecord, StatementRecord} from '../record-types.js';
import {isSameSecret} from '../requests/authentication.js';
import type {StoreReader, StoredRecord} from '../store.js';

const LINK =
  /^\/(?:b\/test_(?<statement>bstm_[A-Za-z0-9]+)|c\/(?<session>cs_[A-Za-z0-9]+)|p\/(?<intent>(?:pi|seti|si)_[A-Za-z0-9]+))_secret_(?<secret>[A-Za-z0-9]+)$/;

/** True for paths of payment pages, even of unknown objects. No path of the API starts this way. */
export const isPageAddress = (path: string): boolean => /^\/[bcp](\/|$)/.test(path);

/** True for the studio's paths, and for `GET /` without an API key. */
export const isStudioAddress = ({method, path, headers}: ApiRequest): boolean =>
  /^\/studio(\/|$)/.test(path) || (path === '/' && /^(GET|HEAD)$/.test(method) && !headers.authorization);

export const isControlAddress = (path: string): boolean => path.startsWith('/_centavo/');

export type Target =
  | {readonly kind: 'statement'; readonly record: StatementRecord}
  | {readonly kind: 'session'; readonly record: SessionRecord}
  | {readonly kind: 'intent' | 'setup'; readonly record: IntentRecord};

/** Returns undefined for an unknown object or a wrong secret. */
export function targetOf(tx: StoreReader, path: string): Target | undefined {
  const {statement, session, intent, secret = ''} = LINK.exec(path)?.groups ?? {};
  const record = tx.peek(statement ?? session ?? intent);
  if (!record) return undefined;
  const expected = statement ? record._secret : String(record.client_secret).split('_secret_')[1];
  if (!isSameSecret(secret, String(expected))) return undefined;
  const kind = statement ? 'statement' : session ? 'session' : record.resource === 'setup_intent' ? 'setup' : 'intent';
  return {kind, record} as Target;
}

export const statementPath = ({id, _secret}: StatementRecord): string => `/b/test_${id}_secret_${String(_secret)}`;
export const sessionPath = ({client_secret: secret}: SessionRecord): string => `/c/${secret}`;

export const intentPath = ({client_secret: secret}: StoredRecord): string => `/p/${String(secret)}`;

export const sourcePath = (source: StoredRecord): string =>
  source.resource === 'checkout_session'
    ? sessionPath(source as SessionRecord)
    : statementPath(source as StatementRecord);
