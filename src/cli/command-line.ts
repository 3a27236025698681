// Detects whether a command line asks for JSON or a schema, even if oclif cannot parse the line.

/** First word of a shell's completion request, which runs no command. */
export const COMPLETE = '__complete';

/** Returns the words before `--`; words after it are never flags. */
export const wordsBeforeDashes = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
};

/** Finds `--schema` or `--schema=…` without oclif, which has no flags with an optional value. */
export const schemaFlag = (argv: readonly string[]): string | undefined =>
  wordsBeforeDashes(argv).findLast((word) => /^--schema(=|$)/.test(word));

const FORMAT = /^jsonl?$/;
const FLAG = /^(?:--json|--output=jsonl?|-o=?jsonl?)$/;

/** Returns the words without --json, and without -o json or jsonl. */
export function withoutJson(argv: readonly string[]): string[] {
  const end = wordsBeforeDashes(argv).length;
  const isFormat = (index: number): boolean =>
    FORMAT.test(argv[index] ?? '') && (argv[index - 1] === '-o' || argv[index - 1] === '--output');
  return argv.filter((word, index) => index >= end || !(FLAG.test(word) || isFormat(index) || isFormat(index + 1)));
}

export const wantsJson = (argv: readonly string[]): boolean => withoutJson(argv).length < argv.length;
