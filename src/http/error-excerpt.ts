// Extracts a short error text from a response, for users.

import {isJsonObject, jsonOrText} from '../common/json.js';

const MAX_EXCERPT_LENGTH = 200;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' '};

/** Returns the error in a JSON body, or else the first line of text or HTML. */
export function errorExcerpt(body: string): string | undefined {
  const page = /^\s*</.test(body)
    ? decodeEntities(body.replace(/<(head|style|script)\b.*?<\/\1>/gis, '').replace(/<[^>]*>/g, '\n'))
    : body;
  const text = errorIn(jsonOrText(body)) ?? page.trim().split('\n', 1)[0]!.trim();
  return text === '' ? undefined : text.slice(0, MAX_EXCERPT_LENGTH);
}

/** Decodes the entities that error pages use: an unknown name, or a number above the last character, stays. */
const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (_, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
        : NAMED_ENTITIES[name.toLowerCase()]!,
  );

function errorIn(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const {error, message, errors} = value;
  const named = [error, message, Array.isArray(errors) ? errors[0] : undefined];
  for (const text of named.flatMap((item) => (isJsonObject(item) ? [item.message, item.detail] : [item])))
    if (typeof text === 'string' && text !== '') return text.trim().split('\n', 1)[0];
  return undefined;
}
