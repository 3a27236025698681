// The rule for email addresses, for typed text, spreadsheets and the sandbox. At least as strict as the service.

/** Maximum length of an address, in characters (RFC 5321). */
const MAX_LENGTH = 254;

/** Faults, most telling first. The position of a character in the address completes a sentence without a full stop. */
const FAULTS: readonly (readonly [pattern: RegExp, fault: (found: string) => string])[] = [
  [
    /[^\P{C}\p{Cs}]|[\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0]|(?! )\p{Z}/u,
    (found) => `an invisible character (${codeOf(found)})`,
  ],
  [/ /, () => 'a space'],
  [/^[^@]+@[^@]+@/, () => 'a second @.'],
  [/^$|^[^@]+$/, () => 'no @.'],
  [/[^\w'+\-.@]|'(?=@)|(?<=@.*)['+_]|^'/u, (found) => `the character ${found}`],
  [/\.\./, () => 'two dots together.'],
  [/^\.|\.@|@\./, () => 'a dot in the wrong place'],
  [/^@/, () => 'nothing before the @.'],
  [/@[^.]*$/, () => 'no dot after the @.'],
];

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Describes in a sentence why a text is no email address; undefined for an address. */
export function emailFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `It is longer than ${MAX_LENGTH} characters.`;
  const prefix = /^(?:mailto|e-?mail|to)\s*:/i.exec(text);
  if (prefix) return `It begins with ${prefix[0]}.`;
  if (text.endsWith('.')) return 'It ends with a dot.';
  for (const [pattern, fault] of FAULTS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const words = `It has ${fault(found[0])}`;
    if (words.endsWith('.')) return words;
    const position = [...text.slice(0, found.index)].length;
    return `${words} ${position === 0 ? 'at its start' : `after position ${position}`}.`;
  }
  return /@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i.test(text) ? undefined : 'Its domain, after the @, is not valid.';
}
