// The documents: named files exist, each page states its audience, and nothing appears twice.

import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {CommandIndex} from '../src/cli/catalog/command-index.js';
import {longId} from '../src/cli/catalog/short-names.js';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const INDEX = JSON.parse(read('bundle/commands.json')) as CommandIndex;

const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
/** Written documents; docs/commands is generated from the program. */
const WRITTEN = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md', ...PAGES];

/** Removes the text that tools/documents.mjs and the benchmark generate between marks. */
const withoutParts = (text: string): string => text.replace(/<!-- (\w[\w ]*) -->.*?<!-- \/\1 -->/gs, '');
const withoutCode = (text: string): string => text.replace(/^```.*?^```$/gms, '');

test('the README is under 130 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(130);
});

test.each(WRITTEN)('%s is short: its written part has under 1,200 words, for contributors 1,600', (page) => {
  const words = withoutParts(read(page)).split(/\s+/).filter(Boolean);
  expect(words.length).toBeLessThan(page === 'CONTRIBUTING.md' ? 1600 : 1200);
});

describe('every page', () => {
  test.each([...PAGES, 'docs/commands/README.md'])('%s states its audience, and is in the index', (page) => {
    const [, first] = /^# .*\n\n(.*)$/m.exec(read(page)) ?? [];
    expect(first).toMatch(/^For (anyone|developers|programs)\b/);
    if (page !== 'docs/README.md') expect(read('docs/README.md')).toContain(`](${page.replace('docs/', '')})`);
  });
});

/** Whole sentences, and table rows by cell. Texts under six words are not sentences. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?:;])\s+|\n|\|/)
    .map((sentence) =>
      sentence
        .replaceAll(/\]\([^)]*\)|[*[\]#`]|^[-\d. ]+/g, '')
        .replace(/[.:;]$/, '')
        .trim()
        .toLowerCase(),
    )
    .filter((sentence) => sentence.split(/\s+/).length >= 6);

test('no sentence appears twice, or in both a page and the help', () => {
  const help = Object.values(INDEX.commands).map(({summary, description}) => `${summary}\n${description ?? ''}`);
  const texts: [string, string][] = [
    ['help', [...new Set(sentencesOf(help.join('\n')))].join('\n')],
    ...WRITTEN.map((page): [string, string] => [page, withoutCode(withoutParts(read(page)))]),
  ];
  const places = new Map<string, string[]>();
  for (const [name, text] of texts)
    for (const sentence of sentencesOf(text)) places.set(sentence, [...(places.get(sentence) ?? []), name]);
  expect(places.size).toBeGreaterThan(300);
  expect([...places].filter(([, pages]) => pages.length > 1)).toEqual([]);
});

const FOLDERS = 'bench|bin|bundle|docs|examples|src|test|tools';

/** Paths in code spans: from the top of the project, and in CONTRIBUTING.md from `src` too. */
function pathsOf(page: string): string[] {
  const spans = [...withoutCode(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const paths = spans.filter((span) => /^[\w.-]+(?:\/[\w.-]+)+\/?$/.test(span));
  return page === 'CONTRIBUTING.md' ? paths : paths.filter((path) => new RegExp(`^(?:${FOLDERS})/`).test(path));
}

describe('every named path exists', () => {
  test.each(WRITTEN)('%s', (page) => {
    const missing = pathsOf(page).filter(
      (path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'src', path)),
    );
    expect(missing).toEqual([]);
  });

  test('they are found', () => {
    for (const page of ['docs/guarantees.md', 'CONTRIBUTING.md', 'SECURITY.md'])
      expect(pathsOf(page).length).toBeGreaterThan(10);
  });
});

describe('CONTRIBUTING.md', () => {
  const lines = read('CONTRIBUTING.md').split('\n');

  test('has one row for each module, with a file to start from', () => {
    const rows = lines.flatMap((line) => [...line.matchAll(/^\| `src\/([\w-]+)` \| .* \| `([^`]+)` \|$/g)]);
    const rooms = readdirSync(join(ROOT, 'src'), {withFileTypes: true}).filter((entry) => entry.isDirectory());
    expect(rows.map(([, room]) => room).sort()).toEqual(rooms.map(({name}) => name).sort());
    const elsewhere = rows.filter(
      ([, room, file]) => !file!.startsWith(`${room}/`) || !existsSync(join(ROOT, 'src', file!)),
    );
    expect(elsewhere.map(([, , file]) => file)).toEqual([]);
  });

  test('names functions that exist in the file of each step', () => {
    const steps = lines.flatMap((line) => [...line.matchAll(/^\d+\. `([\w./-]+\.ts)`.*/g)]);
    const named = steps.flatMap(([line, file]) =>
      [...line.matchAll(/\(([^()]*)\)/g)]
        .flatMap(([, inside]) => [...inside!.matchAll(/`([a-z]\w+)`/g)])
        .map(([, name]) => ({file: file!, name: name!})),
    );
    expect(named.length).toBeGreaterThan(12);
    const isDeclared = ({file, name}: {file: string; name: string}): boolean =>
      new RegExp(`\\b(?:function\\*?|const) ${name}\\b|^  (?:async )?\\*?${name}(?:\\(| = )`, 'm').test(
        read(`src/${file}`),
      );
    expect(named.filter((each) => !isDeclared(each))).toEqual([]);
  });
});

/** Lines of code that start the program, without the text around the command. */
const commandLines = (page: string): string[] =>
  [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, code]) => code!.replaceAll('\\\n', ' ').split(/\n| \| (?=centavo )/))
    .flatMap((line) => /^centavo .*/.exec(line)?.[0] ?? [])
    .map((line) => line.replace(/\s+#.*$/, '').replace(/ -- .*$| <.*$/, ''));

describe('every command line has an existing command and valid flags', () => {
  test.each(WRITTEN)('%s', (page) => {
    const wrong = commandLines(page).filter((line) => {
      const words = line.split(/\s+/).slice(1);
      const ids = words.map((_, at) => longId(words.slice(0, at + 1).join(':')));
      const id = ids.findLast((each) => Object.hasOwn(INDEX.commands, each));
      if (id === undefined) return true;
      const flags = {...INDEX.globalFlags, ...INDEX.commands[id]!.flags};
      // Quoted text belongs to another program.
      const given = line.replaceAll(/"[^"]*"|'[^']*'/g, '').match(/(?<=\s)--[\w-]+/g) ?? [];
      return given.some((flag) => !Object.hasOwn(flags, flag.slice(2)));
    });
    expect(wrong).toEqual([]);
  });

  test('they are found', () => {
    expect(WRITTEN.flatMap(commandLines).length).toBeGreaterThan(50);
  });
});

const PICTURES = readdirSync(join(ROOT, 'docs/pictures'));

test.each(PICTURES.filter((name) => name.endsWith('.svg')))(
  '%s shows an existing command, and loads nothing',
  (name) => {
    const picture = read(`docs/pictures/${name}`);
    expect(picture).not.toMatch(/<script|href|url\(|@import|<image/);
    const typed = [...picture.matchAll(/>centavo ([\w -]+?)(?: --[^<]*)?</g)].map(([, words]) => words!);
    expect(typed).not.toEqual([]);
    for (const words of typed) {
      const ids = words.split(' ').map((_, at, all) => longId(all.slice(0, at + 1).join(':')));
      expect(
        ids.some((id) => Object.hasOwn(INDEX.commands, id)),
        words,
      ).toBe(true);
    }
  },
);

test('every picture is used, has a text alternative, and is small', () => {
  const text = WRITTEN.map(read).join('\n');
  const shown = [
    ...text.matchAll(/!\[[^\]]{40,}\]\((?:docs\/)?pictures\/([^)]*)\)/g),
    ...text.matchAll(/srcset="(?:docs\/)?pictures\/([\w-]*\.png)"><img src="[^"]*" alt="[^"]{40,}">/g),
    ...text.matchAll(/<img src="(?:docs\/)?pictures\/([\w-]*\.png)" alt=/g),
  ].map(([, name]) => name!);
  expect(shown.toSorted()).toEqual(PICTURES.toSorted());
  const bytes = PICTURES.map((name) => statSync(join(ROOT, 'docs/pictures', name)).size);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(600_000);
});
