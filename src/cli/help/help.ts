// Finds the page of help that a command line asks for. The pages are laid out when the program is built (help-pages.ts),
// so that help is answered without loading the program.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {wantsColor, type ColorOptions} from '../../output/color.js';
import {beforeEnd, schemaFlag, wantsJson, withoutJson} from '../line/wants-json.js';

/** The widths, in columns, for which pages are laid out. */
export const HELP_WIDTHS = [60, 80] as const;

/** The words of the page for a command line without any. No command or topic has them. */
export const FIRST_PAGE = '(first)';

/** Stands before each page in its file, with the words and the kind of the page in the rest of the line. */
const SEPARATOR = '\f';

interface Page {
  readonly kind: 'command' | 'topic';
  readonly text: string;
}

export type Pages = ReadonlyMap<string, Page>;

/** Where the help is printed. */
export interface HelpOptions extends ColorOptions {
  /** The package's folder. */
  readonly root: string;
  /** Columns of the terminal, if it is one. */
  readonly columns: number | undefined;
}

const helpFile = (width: number): string => `help-${width}.txt`;

/** The file of all pages for one width. @param pages by their words: `customers create`, and none for the first page */
export const writePages = (width: number, pages: Pages): {readonly name: string; readonly text: string} => ({
  name: helpFile(width),
  text: [...pages].map(([words, {kind, text}]) => `${SEPARATOR}${kind}:${words}\n${text}`).join(''),
});

function readPages(root: string, columns = 80): Pages {
  const [narrow, normal] = HELP_WIDTHS;
  const text = readFileSync(join(root, 'bundle', helpFile(columns < normal ? narrow : normal)), 'utf8');
  return new Map(
    text
      .split(SEPARATOR)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        const [kind, words] = part.slice(0, end).split(':') as [Page['kind'], string];
        return [words, {kind, text: part.slice(end + 1)}];
      }),
  );
}

const FLAGS = ['--help', '-h'];

/** True if this can be a request for a page of help, and is answered without the program: what a start needs to know before it reads the pages. */
export const mayAskForHelp = (argv: readonly string[]): boolean =>
  !wantsJson(argv) &&
  // What stands behind a global flag may be its value.
  (argv.length <= 1 || FLAGS.includes(argv[0]!) || !argv[0]!.startsWith('-')) &&
  (argv.length <= 1 || argv[0] === 'help' || argv.some((word) => FLAGS.includes(word)));

/**
 * The page that a command line asks for, ready to be printed.
 * @returns undefined if it asks for none, or for one that does not exist
 */
export function findHelp(argv: readonly string[], {root, columns, ...colors}: HelpOptions): string | undefined {
  // Also `help` has a schema.
  if (schemaFlag(argv) !== undefined) return undefined;
  const pages = readPages(root, columns);
  const words = argv.length === 0 ? [FIRST_PAGE] : pageAskedFor(argv, pages);
  const page = words && pages.get(words.join(' '));
  if (!page) return undefined;
  const bold = wantsColor(colors) && !beforeEnd(argv).includes('--no-color');
  return bold ? page.text.replace(/^[A-Z][A-Z ]+$/gm, '\u001B[1m$&\u001B[22m') : page.text;
}

/** The words of the page that a command line asks for with `--json`; undefined if it asks for none. */
export const findHelpForPrograms = (argv: readonly string[], root: string): readonly string[] | undefined =>
  wantsJson(argv) ? pageAskedFor(withoutJson(argv), readPages(root)) : undefined;

function pageAskedFor(argv: readonly string[], pages: Pages): readonly string[] | undefined {
  const typed = beforeEnd(argv);
  const rest = typed.filter((word) => !FLAGS.includes(word));
  const firstFlag = rest.findIndex((word) => word.startsWith('-'));
  // oclif also takes customers:list.
  const words = (firstFlag < 0 ? rest : rest.slice(0, firstFlag)).flatMap((word) => word.split(':'));
  const [first, second] = words;
  // `help exit-codes` is a command.
  const subject = first === 'help' && !pages.has(`help ${second}`) ? words.slice(1) : words;
  const asked = typed.length === 0 || rest.length < typed.length || subject !== words;
  if (asked) return described(subject, pages);
  return first !== undefined && pages.get(words.join(' '))?.kind === 'topic' ? words : undefined;
}

/** The words of a page; after those of a command, its arguments may stand. */
function described(words: readonly string[], pages: Pages): readonly string[] | undefined {
  for (let length = words.length; length >= 0; length--) {
    const page = pages.get(words.slice(0, length).join(' '));
    if (page) return length === words.length || page.kind === 'command' ? words.slice(0, length) : undefined;
  }
  return undefined;
}
