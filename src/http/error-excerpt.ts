// Extracts a short error text from a response, for users.

import {isJsonObject, jsonOrText} from '../common/json.js';

const MAX_EXCERPT_LENGTH = 200;

/** Returns the error in a JSON body, or else the first line of text or HTML. Compressed bodies are not read. */
export function errorExcerpt(
  headers: Iterable<readonly [name: string, value: unknown]>,
  body: string,
): string | undefined {
  for (const [name] of headers) if (name === 'content-encoding') return undefined;
  const page = /^\s*</.test(body)
    ? body.replace(/<(head|style|script)\b.*?<\/\1>/gis, '').replace(/<[^>]*>/g, '\n')
    : body;
  const text = errorIn(jsonOrText(body)) ?? page.trim().split('\n', 1)[0]!.trim();
  return text === '' ? undefined : text.slice(0, MAX_EXCERPT_LENGTH);
}

function errorIn(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const {error, message, errors} = value;
  const named = [error, message, Array.isArray(errors) ? errors[0] : undefined];
  for (const text of named.flatMap((item) => (isJsonObject(item) ? [item.message, item.detail] : [item])))
    if (typeof text === 'string' && text !== '') return text.trim().split('\n', 1)[0];
  return undefined;
}
