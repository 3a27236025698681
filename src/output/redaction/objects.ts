// Removes secrets from objects before formatting: by field name, and from every text.

import {readJson, UnreadableJson, type JsonObject} from '../../common/json.js';
import {HIDDEN, type AllowedSecrets} from './patterns.js';
import type {Redactor} from './redactor.js';

const SECRET_NAME = /^(?:client[_-]?secret|secret[_-]?key)$/i;
/** Addresses of the shop: a secret in their path is not the link of a customer. */
const SHOP_ADDRESS = /^(?:cancel|return|success)_url$/;
const CREDENTIAL_NAME = /^(?:proxy-)?authorization$/i;
/** Field with the body of a webhook, as received. */
const BODY_NAME = 'body_base64';

/**
 * Returns the value without secrets; the same object if nothing changed. Marks a changed body: its signature no longer fits.
 * @param seen the results for the objects of earlier calls
 */
export function redactObject<T>(
  value: T,
  redactor: Redactor,
  shown: AllowedSecrets,
  seen = new Map<object, unknown>(),
): T {
  const text = (part: string): string => redactor.text(part, shown);
  // Cached, since every row has the same few names.
  const names = new Map<string, string>();
  const rename = (name: string): string => {
    if (!names.has(name)) names.set(name, text(name));
    return names.get(name)!;
  };

  const redactField = (name: string, inner: unknown): unknown => {
    if (CREDENTIAL_NAME.test(name)) return typeof inner === 'string' ? credential(inner) : inner;
    if (SECRET_NAME.test(name) && shown !== 'secrets') return maskAll(inner);
    if (shown === 'links' && SHOP_ADDRESS.test(name) && typeof inner === 'string') return redactor.unlinked(inner);
    if (name === BODY_NAME && typeof inner === 'string') return redactBody(inner);
    return visit(inner);
  };

  const maskAll = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(maskAll);
    if (typeof inner === 'object' && inner !== null) return mapHash(inner as JsonObject, (_, each) => maskAll(each));
    return redactor.maskNamed(inner);
  };

  const redactBody = (encoded: string): string => {
    const bytes = Buffer.from(encoded, 'base64');
    const plain = bytes.toString('utf8');
    // Bytes that are not UTF-8 are searched as Latin-1.
    const encoding = Buffer.from(plain).equals(bytes) ? 'utf8' : 'latin1';
    const safe = text(hiddenJson(bytes.toString(encoding), visit));
    return safe === bytes.toString(encoding) ? encoded : Buffer.from(safe, encoding).toString('base64');
  };

  const redactChildren = (inner: object): unknown => {
    if (Array.isArray(inner)) {
      // Headers are pairs of a name and a value.
      const header = inner.length === 2 && typeof inner[0] === 'string' && CREDENTIAL_NAME.test(inner[0]);
      const items = inner.map((item, index) =>
        header && index === 1 ? redactField(inner[0] as string, item) : visit(item),
      );
      return items.some((item, index) => item !== inner[index]) ? items : inner;
    }
    const safe = mapHash(inner as JsonObject, redactField, rename);
    return safe[BODY_NAME] === (inner as JsonObject)[BODY_NAME] ? safe : {...safe, body_redacted: true};
  };

  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'string') return text(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (!seen.has(inner)) seen.set(inner, redactChildren(inner));
    return seen.get(inner);
  };
  try {
    return visit(value) as T;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The value is too deep to visit, but not too deep to write as JSON.
    return JSON.parse(redactor.text(JSON.stringify(value), shown)) as T;
  }
}

/** Hides a credential, but not its scheme, such as `Bearer`. */
const credential = (text: string): string =>
  text === '' ? '' : `${/^(?:basic|bearer|digest) /i.exec(text)?.[0] ?? ''}${HIDDEN}`;

function mapHash(
  hash: JsonObject,
  map: (name: string, value: unknown) => unknown,
  rename = (name: string) => name,
): JsonObject {
  const entries = Object.entries(hash);
  const mapped = entries.map(([name, value]) => [rename(name), map(name, value)] as const);
  const same = mapped.every(([name, value], index) => name === entries[index]![0] && value === entries[index]![1]);
  return same ? hash : Object.fromEntries(mapped);
}

/** Returns a text unchanged, or JSON with secrets rewritten without the secrets. */
function hiddenJson(text: string, visit: (value: unknown) => unknown): string {
  try {
    const parsed = readJson(text);
    const safe = visit(parsed);
    return safe === parsed ? text : JSON.stringify(safe);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return text;
  }
}
