// Whether a command line asks for JSON, before it is parsed and even if it cannot be.

/** YAML counts too: JSON is YAML. */
const FORMAT = /^(?:jsonl?|yaml)$/;
const FLAG = /^(?:--json|--output=(?:jsonl?|yaml)|-o=?(?:jsonl?|yaml))$/;

/** The words without those that ask for JSON. */
export function withoutJson(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const isFormat = (index: number): boolean =>
    FORMAT.test(argv[index] ?? '') && (argv[index - 1] === '-o' || argv[index - 1] === '--output');
  return argv.filter(
    (word, index) => (end >= 0 && index > end) || !(FLAG.test(word) || isFormat(index) || isFormat(index + 1)),
  );
}

export const wantsJson = (argv: readonly string[]): boolean => withoutJson(argv).length < argv.length;
