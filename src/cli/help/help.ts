// Finds the page of help for a command line. Pages are laid out when the program is built (help-pages.ts), so that help
// does not load the program.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {wantsColor, type ColorOptions} from '../../output/color.js';
import {wordsBeforeDashes, COMPLETE, schemaFlag, wantsJson, withoutJson} from '../command-line.js';

/** Columns. */
export const HELP_WIDTHS = [60, 80] as const;

/** The page for `centavo` without words. No command or topic has this name. */
export const FIRST_PAGE = '(first)';

/** Starts each page in a file. The page's kind and words follow on the same line. */
const SEPARATOR = '\f';

interface HelpPage {
  readonly kind: 'command' | 'topic';
  readonly text: string;
}

/** Pages by words: `customers create`; the empty string is the page of all commands. */
export type HelpPages = ReadonlyMap<string, HelpPage>;

export interface HelpOptions extends ColorOptions {
  readonly root: string;
  readonly columns: number | undefined;
}

const helpFile = (width: number): string => `help-${width}.txt`;

export const writePages = (width: number, pages: HelpPages): {readonly name: string; readonly text: string} => ({
  name: helpFile(width),
  text: [...pages].map(([words, {kind, text}]) => `${SEPARATOR}${kind}:${words}\n${text}`).join(''),
});

function readPages(root: string, columns = 80): HelpPages {
  const [narrow, normal] = HELP_WIDTHS;
  const text = readFileSync(join(root, 'bundle', helpFile(columns < normal ? narrow : normal)), 'utf8');
  const [, ...parts] = text.split(SEPARATOR);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      const [kind, words] = part.slice(0, end).split(':') as [HelpPage['kind'], string];
      return [words, {kind, text: part.slice(end + 1)}];
    }),
  );
}

const FLAGS = ['--help', '-h'];

/** True if the first word is `help`, or a help flag comes before `--`. */
export const requestsHelp = (argv: readonly string[]): boolean =>
  argv[0] === 'help' || wordsBeforeDashes(argv).some((word) => FLAGS.includes(word));

/** True if the words may ask for help. Checked at startup, before the pages are read. */
export const mayAskForHelp = (argv: readonly string[]): boolean =>
  argv[0] !== COMPLETE &&
  !wantsJson(argv) &&
  // The word after a global flag may be its value.
  (argv.length <= 1 || FLAGS.includes(argv[0]!) || !argv[0]!.startsWith('-')) &&
  (argv.length <= 1 || argv[0] === 'help' || argv.some((word) => FLAGS.includes(word)));

/** Returns the page to print; undefined if the words ask for no page, or for an unknown page. */
export function findHelp(argv: readonly string[], {root, columns, ...colors}: HelpOptions): string | undefined {
  // `help --schema` prints a schema, not a page.
  if (schemaFlag(argv) !== undefined) return undefined;
  const pages = readPages(root, columns);
  const words = argv.length === 0 ? [FIRST_PAGE] : requestedPage(argv, pages);
  const page = words && pages.get(words.join(' '));
  if (!page) return undefined;
  const bold = wantsColor(colors) && !wordsBeforeDashes(argv).includes('--no-color');
  return bold ? page.text.replace(/^[A-Z][A-Z ]+$/gm, '\u001B[1m$&\u001B[22m') : page.text;
}

export const findHelpForPrograms = (argv: readonly string[], root: string): readonly string[] | undefined =>
  wantsJson(argv) ? requestedPage(withoutJson(argv), readPages(root)) : undefined;

function requestedPage(argv: readonly string[], pages: HelpPages): readonly string[] | undefined {
  const typed = wordsBeforeDashes(argv);
  const rest = typed.filter((word) => !FLAGS.includes(word));
  const firstFlag = rest.findIndex((word) => word.startsWith('-'));
  // oclif also accepts customers:list.
  const words = (firstFlag < 0 ? rest : rest.slice(0, firstFlag)).flatMap((word) => word.split(':'));
  const [first, second] = words;
  // `help exit-codes` is a command.
  const subject = first === 'help' && !pages.has(`help ${second}`) ? words.slice(1) : words;
  const isRequested = typed.length === 0 || rest.length < typed.length || subject !== words;
  if (isRequested) return pageWords(subject, pages);
  return first !== undefined && pages.get(words.join(' '))?.kind === 'topic' ? words : undefined;
}

/** Returns the words of the matching page; arguments may follow a command's words. */
function pageWords(words: readonly string[], pages: HelpPages): readonly string[] | undefined {
  for (let length = words.length; length >= 0; length--) {
    const page = pages.get(words.slice(0, length).join(' '));
    if (page) return length === words.length || page.kind === 'command' ? words.slice(0, length) : undefined;
  }
  return undefined;
}
