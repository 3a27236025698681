// Links to pages: which object a link is for, and whether its secret is right.

import {isSameSecret} from '../requests/authentication.js';
import type {IntentRecord, SessionRecord, StatementRecord} from '../record-types.js';
import type {Stored} from '../store.js';
import type {Reading} from '../reading.js';

const LINK =
  /^\/(?:b\/test_(?<statement>bstm_[A-Za-z0-9]+)|c\/(?<session>cs_[A-Za-z0-9]+)|p\/(?<intent>pi_[A-Za-z0-9]+))_secret_(?<secret>[A-Za-z0-9]+)$/;

/** True for paths of pages, even of pages that do not exist. No path of the API begins like them. */
export const isPageAddress = (path: string): boolean => /^\/[bcp](\/|$)/.test(path);

export type Target =
  | {readonly kind: 'statement'; readonly record: StatementRecord}
  | {readonly kind: 'session'; readonly record: SessionRecord}
  | {readonly kind: 'intent'; readonly record: IntentRecord};

/** The object that the path leads to; undefined when there is none, or the secret is wrong. */
export function targetOf(tx: Reading, path: string): Target | undefined {
  const {statement, session, intent, secret = ''} = LINK.exec(path)?.groups ?? {};
  const record = tx.peek(statement ?? session ?? intent);
  if (!record) return undefined;
  const expected = statement ? record._secret : String(record.client_secret).split('_secret_')[1];
  if (!isSameSecret(secret, String(expected))) return undefined;
  const kind = statement ? 'statement' : session ? 'session' : 'intent';
  return {kind, record} as Target;
}

export const statementPath = ({id, _secret}: StatementRecord): string => `/b/test_${id}_secret_${String(_secret)}`;
export const sessionPath = ({client_secret: secret}: SessionRecord): string => `/c/${secret}`;

export const intentPath = ({client_secret: secret}: Stored): string => `/p/${String(secret)}`;

/** The page of the statement or session that an intent belongs to. */
export const sourcePath = (source: Stored): string =>
  source.resource === 'checkout_session'
    ? sessionPath(source as SessionRecord)
    : statementPath(source as StatementRecord);
