// Secrets are taken out of whatever is printed, in this one place: keys, client secrets, webhook secrets, Authorization.

const PATTERNS: readonly [RegExp, string][] = [
  [/\b([sp]k_(?:test|live)_)[A-Za-z0-9]+/g, '$1[redacted]'],
  [/\b(whsk_)[A-Za-z0-9]+/g, '$1[redacted]'],
  [/(_secret_)[A-Za-z0-9]+/g, '$1[redacted]'],
  [/\b(Basic\s+)[A-Za-z0-9+/=]{8,}/gi, '$1[redacted]'],
  [/\b(Bearer\s+)[^\s"']+/gi, '$1[redacted]'],
];

/** The text without any secret that has a recognisable form. */
export function redact(text: string): string {
  return PATTERNS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
