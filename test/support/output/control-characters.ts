// Every active or invisible character, by Unicode category; and texts that must survive.

/** `U+202E`, by category: controls, format characters, separators of lines and paragraphs, and what programs are to ignore. */
export const CONTROLS: readonly string[] = Array.from({length: 0x110000}, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character));

/** All of them, each after a letter, because letters have no variation selectors. */
export const HOSTILE = CONTROLS.map((character) => `x${character}`).join('');

/** One of each kind, and earlier failures, for tests where all are too many. */
export const SOME = [
  ...'\u0000\u0007\u0008\u001b\u007f\u009b\u009d\u0085',
  ...'\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u202e\u2028\u2029\u2060\u2066\u3164\ufe0f\ufeff\uffa0',
  '\u{1d173}',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e0100}',
];
export const SOME_HOSTILE = `a\u001b[2J\u001b]0;t\u0007${SOME.map((character) => `x${character}`).join('')}z`;

export const LEGITIMATE = [
  'Niño Dela Peña',
  'e\u0301',
  '山田太郎',
  '葛\u{E0100}飾',
  '👩\u200d💻',
  '❤\ufe0f',
  '1\ufe0f\u20e3',
  '🇵🇭',
  '₱1,250.50',
];
