// Values as people read them: pesos, Manila times, and texts from strangers made harmless.

const MANILA_OFFSET = 8 * 3600;

/** `₱1,250.50` of 125050 centavos. */
export function formatPesos(centavos: number): string {
  const digits = Math.abs(centavos).toString().padStart(3, '0');
  const pesos = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${centavos < 0 ? '-' : ''}₱${pesos}.${digits.slice(-2)}`;
}

/** `1250.50` of 125050 centavos: a number for spreadsheets. */
export function decimalPesos(centavos: number): string {
  return formatPesos(centavos).replace(/[₱,]/g, '');
}

/** `2026-12-15 23:59` in Manila. @param at unix seconds */
export function formatTime(at: number): string {
  return new Date((at + MANILA_OFFSET) * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** `2026-12-15T23:59:59+08:00`. @param at unix seconds */
export function isoTime(at: number): string {
  return `${new Date((at + MANILA_OFFSET) * 1000).toISOString().slice(0, 19)}+08:00`;
}

// Control characters (C0, DEL, C1), line and paragraph separators; and what reorders or hides text: bidi marks, zero-width and tag characters.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/gu;
const ZERO_WIDTH_JOINER = '\u200D';

/**
 * A text that a terminal can show and cannot be moved by: what would act is shown instead.
 * A joiner between two pictographs is kept, since it makes one picture of them.
 */
export function clean(text: string): string {
  return text.replace(UNSAFE, (character, offset: number) => {
    if (character === '\n') return '⏎';
    if (character === '\t') return ' ';
    if (character === ZERO_WIDTH_JOINER && /\p{Extended_Pictographic}\uFE0F?$/u.test(text.slice(0, offset))) return character;
    const code = character.codePointAt(0)!;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

export type ValueKind = 'boolean' | 'centavos' | 'object' | 'secret' | 'status' | 'text' | 'timestamp';

/** Any value of the API as one line of text. */
export function formatValue(value: unknown, kind: ValueKind): string {
  if (value === null || value === undefined || value === '') return '';
  if (kind === 'centavos' && typeof value === 'number') return formatPesos(value);
  if (kind === 'timestamp' && typeof value === 'number') return value === 0 ? '' : formatTime(value);
  if (kind === 'secret') return '(hidden; --json shows it)';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return clean(describe(value));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.map(describe).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  // Related objects are known by their name, then by their id; other hashes by what is in them.
  const {name, id} = value as {name?: unknown; id?: unknown};
  if (typeof name === 'string' && name) return name;
  if (typeof id === 'string') return id;
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && inner !== undefined)
    .map(([key, inner]) => `${key}=${describe(inner)}`)
    .join(' ');
}
