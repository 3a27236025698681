// Questions as plain lines, for terminals that cannot move the cursor and for screen readers.

import {createInterface} from 'node:readline';
import {multiLineText, oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import {isBack, PromptEnded, type Asker, type ChoiceQuestion, type LineQuestion, type Terminal} from './asker.js';
import {matchingChoices} from './matching.js';

/** Choices of a search that are listed at once, each chosen by one digit. */
const MAX_LISTED = 9;

/** @param title printed first */
export async function openPlainAsker(
  {input, output, signal}: Terminal,
  {io, title}: {readonly io: Pick<OutputStreams, 'redact' | 'width'>; readonly title: string},
): Promise<Asker> {
  const {widthOf, wrap} = await textMeasureFor();
  const waiting: string[] = [];
  let next: {readonly take: (text: string) => void; readonly fail: (error: PromptEnded) => void} | undefined;
  let isEnded = false;
  // With an output, readline would move the cursor.
  const lines = createInterface({input, terminal: false});
  const end = (reason: PromptEnded['reason']): void => next?.fail(new PromptEnded(reason));
  const onAbort = (): void => end('stopped');
  lines.on('line', (text) => {
    if (next) next.take(text);
    else waiting.push(text);
  });
  lines.once('close', () => {
    isEnded = true;
    end('ended');
  });
  signal.addEventListener('abort', onAbort, {once: true});

  const write = (text: string): void => {
    try {
      output.write(multiLineText(io.redact(text)));
    } catch {
      // The terminal was closed.
    }
  };
  const print = (...texts: readonly string[]): void =>
    write(texts.flatMap((text) => wrapped(oneLineText(text)).map((line) => `${line}\n`)).join(''));
  const wrapped = (line: string): string[] => {
    const [indent] = /^ */.exec(line)!;
    if (widthOf(line) <= io.width) return [line];
    // Indent continued lines, because a long name must not look like a line of its own.
    const more = `${indent}  `;
    return wrap(line.trimStart(), io.width - more.length).map((each, at) => (at === 0 ? indent : more) + each);
  };

  /** Prints the prompt and reads a line. */
  async function read({ask, askPlainly = ask}: Pick<LineQuestion, 'ask' | 'askPlainly'>): Promise<string> {
    write(`${oneLineText(askPlainly)} `);
    // The next question may drop typed lines, so that each line is taken in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new PromptEnded('stopped');
    const typed = waiting.shift();
    if (typed !== undefined) return typed;
    if (isEnded) throw new PromptEnded('ended');
    // Another prompt may have paused it.
    input.resume();
    return new Promise<string>((take, fail) => {
      next = {take, fail};
    }).finally(() => {
      next = undefined;
    });
  }

  const start = ({intro = [], note}: Pick<LineQuestion, 'intro' | 'note'>): void => {
    if (note) print(note.text);
    print(...intro);
  };

  async function choose({choices, isCareful, mark, ...asked}: ChoiceQuestion): Promise<string | undefined> {
    if (isCareful) waiting.splice(0);
    start(asked);
    print(
      asked.ask,
      ...choices.map(({key, name, effect}) => `  ${key}. ${name}${effect === undefined ? '' : `. ${effect}`}`),
    );
    for (;;) {
      const text = (await read({ask: asked.askPlainly ?? 'Letter:'})).trim().toLowerCase();
      if (isBack(text)) return undefined;
      const chosen = choices.find(({key, name}) => key === text || name.toLowerCase() === text);
      if (chosen) return chosen.key;
      if (text === '' && mark !== undefined) return mark;
      print(`Answer with one of ${choices.map(({key}) => key).join(', ')}.`);
    }
  }

  print(title);
  return {
    line: async (asked) => {
      start(asked);
      const typed = await read(asked);
      if (isBack(typed)) return {back: ''};
      // An empty line repeats a text that a warning asks about, and so confirms it.
      const isSame = typed.trim() === '' && asked.note?.tone === 'warning';
      return {typed: isSame ? (asked.text ?? '') : typed, isSame};
    },
    choose,
    search: async (asked) => {
      start(asked);
      let listed: ReturnType<typeof asked.choices> = [];
      let query = asked.text ?? '';
      const list = async (): Promise<void> => {
        await asked.loaded;
        const found = matchingChoices(asked.choices(), query);
        listed = found.slice(0, MAX_LISTED);
        const more = found.length - listed.length;
        print(
          ...(found.length === 0 ? ['  No name or email has this text.'] : []),
          ...listed.map(({name, detail}, index) => `  ${index + 1}. ${name} <${detail}>`),
          ...(more > 0 ? [`  and ${more.toLocaleString('en')} more: type more of the name`] : []),
          ...(asked.newChoice ? [`  n. ${asked.newChoice(query).replace(/^\+ /, '')}`] : []),
        );
      };
      if (query !== '') await list();
      for (;;) {
        const text = (await read(asked)).trim();
        if (isBack(text)) return {back: ''};
        if (asked.newChoice && /^n(ew)?$/i.test(text)) return {typed: query, isSame: false};
        const chosen = /^\d$/.test(text) ? listed[Number(text) - 1] : undefined;
        if (chosen) return {chosen};
        if (text === '') print('Type a name or an email address, or n for a new customer.');
        else if (/^\d$/.test(text) && listed.length > 0)
          print(`Answer with a number up to ${listed.length}, part of the name, or n.`);
        else {
          query = text;
          await list();
        }
      }
    },
    say: print,
    wait: (text, work) => {
      print(text);
      return work;
    },
    dropTypedAhead: () => void waiting.splice(0),
    close: () => {
      signal.removeEventListener('abort', onAbort);
      lines.removeAllListeners();
      lines.close();
    },
  };
}
