// The forms that a body may have had before something on its way changed it: what a diagnosis tries.

import {readJson} from '../../json.js';

export interface BodyVariant {
  /** What it was: `without the line break at its end`. */
  readonly was: string;
  readonly body: Buffer;
}

/** The order in which they are tried: what happens most comes first. Lazy, since most diagnoses end early. */
export function* bodyVariants(body: Uint8Array): Generator<BodyVariant> {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const of = (was: string, changed: string): BodyVariant => ({was, body: Buffer.from(changed, 'utf8')});
  yield of('without the line break at its end', text.replace(/\r?\n$/, ''));
  yield of('with a line break at its end', `${text}\n`);
  yield of('without the byte order mark', text.replace(/^\uFEFF/, ''));
  yield of('without blanks around it', text.trim());
  yield of('with LF line breaks', text.replaceAll('\r\n', '\n'));
  yield of('with CRLF line breaks', text.replace(/\r?\n/g, '\r\n'));
  yield {was: 'before it was encoded a second time', body: Buffer.from(text, 'latin1')};
  yield of('in Unicode form C', text.normalize('NFC'));
  yield of('in Unicode form D', text.normalize('NFD'));
  yield* serialisations(text);
}

/** The same JSON, written by others. */
function* serialisations(text: string): Generator<BodyVariant> {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return;
  }
  const compact = JSON.stringify(value);
  const ascii = (json: string): string =>
    json.replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const slashes = (json: string): string => json.replaceAll('/', '\\/');
  const forms: readonly [string, string][] = [
    ['as compact JSON', compact],
    ['as compact JSON with escaped slashes', slashes(compact)],
    ['as compact JSON in ASCII', ascii(compact)],
    ['as compact JSON in ASCII with escaped slashes', slashes(ascii(compact))],
    ['as JSON indented by 2', JSON.stringify(value, null, 2)],
    ['as JSON indented by 4', JSON.stringify(value, null, 4)],
  ];
  for (const [was, form] of forms) yield {was, body: Buffer.from(form, 'utf8')};
}
