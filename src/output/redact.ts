// Secrets are taken out of whatever is printed, in this one place: keys, client secrets, webhook secrets, Authorization.

// No word boundary before them: inside JSON or a URL a key may follow `\n` or `%20`, whose last character is a letter or digit.
const PATTERNS: readonly [RegExp, string][] = [
  [/([sp]k_(?:test|live)_)[A-Za-z0-9]{8,}/g, '$1[redacted]'],
  [/(whsk_)[A-Za-z0-9]{8,}/g, '$1[redacted]'],
  [/(_secret_)[A-Za-z0-9]{8,}/g, '$1[redacted]'],
  // A key in base64, which is how it travels.
  [/(?:c2tf|cGtf)(?:dGVz|bGl2)[A-Za-z0-9+/_-]+=*/g, '[redacted]'],
  // Credentials have capitals or digits in them; "Basic authentication" is but words.
  [/\b([Bb]asic(?:\s|%20|\+)+)(?=[A-Za-z0-9+/][A-Za-z0-9+/]*[A-Z0-9+/=])[A-Za-z0-9+/=]{8,}/g, '$1[redacted]'],
  [/\b(Bearer\s+)[^\s"']+/gi, '$1[redacted]'],
];

/** The text without any secret that has a recognisable form. */
export function redact(text: string): string {
  return PATTERNS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
