// Questions as plain lines, for terminals that cannot move the cursor and for screen readers.

import {createInterface} from 'node:readline';
import {multiLineText, oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import {isBack, PromptEnded, type ChoiceQuestion, type LineQuestion, type SingleAsker, type Terminal} from './asker.js';
import {matchingChoices} from './matching.js';

/** Choices of a search that are listed at once, each chosen by one digit. */
const MAX_LISTED = 9;

/** @param title printed first */
export async function openPlainAsker(
  terminal: Terminal,
  {io, title}: {readonly io: Pick<OutputStreams, 'redact' | 'width'>; readonly title?: string},
): Promise<SingleAsker> {
  const {input, output, signal} = terminal;
  const {widthOf, wrap} = await textMeasureFor();
  const waiting: string[] = [];
  let next: {readonly take: (text: string) => void; readonly fail: (error: PromptEnded) => void} | undefined;
  let isEnded = false;
  // With an output, readline would move the cursor. Reading fails if the terminal is closed before its SIGHUP arrives.
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
  lines.on('error', () => lines.close());
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
    const fault = `Answer with one of ${choices.map(({key}) => key).join(', ')}.`;
    const {key} = await readUntil(asked.askPlainly ?? 'Letter:', fault, (text) => {
      if (isBack(text)) return {key: undefined};
      if (text === '' && mark !== undefined) return {key: mark};
      return choices.find(({key, name}) => key === text || name.toLowerCase() === text);
    });
    return key;
  }

  /** Asks until `understand` returns a value. Its text is in lower case. */
  async function readUntil<T>(ask: string, fault: string, understand: (text: string) => T | undefined): Promise<T> {
    for (;;) {
      const value = understand((await read({ask})).trim().toLowerCase());
      if (value !== undefined) return value;
      print(fault);
    }
  }

  const close = (): void => {
    signal.removeEventListener('abort', onAbort);
    next = undefined;
    // Closing first, so that readline leaves the input.
    lines.close();
    lines.removeAllListeners();
  };

  if (title !== undefined) print(title);
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
    confirm: (message, initial) => {
      print(message);
      const word = initial ? 'yes' : 'no';
      return readUntil(`Yes or no (${word}):`, 'Answer yes or no.', (text) => {
        if (text === '') print(initial ? 'Yes.' : 'No.');
        return text === '' ? initial : {y: true, yes: true, n: false, no: false}[text];
      });
    },
    password: (message) => {
      close();
      return readHidden(terminal, `${message}\n> `);
    },
    select: (message, names) => {
      const choices = names.map((name, index) => ({name, index}));
      print(message, ...choices.map(({name, index}) => `  ${index + 1}. ${name}`));
      const fault = `Answer with a number from 1 to ${names.length}, or a name.`;
      return readUntil(`1 to ${names.length}, or a name:`, fault, (text) => {
        const found = matchingChoices(choices, text);
        const chosen = choices[Number(text) - 1] ?? (found.length === 1 ? found[0] : undefined);
        if (chosen && chosen.name !== text) print(chosen.name);
        return chosen?.index;
      });
    },
    search: async (asked) => {
      start(asked);
      let listed: ReturnType<typeof asked.choices> = [];
      let query = asked.text ?? '';
      // A new customer is an address, too.
      const detailOf = (detail = ''): string => (asked.newChoice ? ` <${detail}>` : `  ${detail}`).trimEnd();
      const list = async (): Promise<void> => {
        await asked.loaded;
        const matching = matchingChoices(asked.choices(), query);
        const found = matching.length === 0 && !asked.newChoice ? asked.choices() : matching;
        listed = found.slice(0, MAX_LISTED);
        const more = found.length - listed.length;
        print(
          ...(matching.length === 0 ? ['No matches.'] : []),
          ...listed.map(({name, detail}, index) => `  ${index + 1}. ${name}${detailOf(detail)}`),
          ...(more > 0 ? [`  and ${more.toLocaleString('en')} more: type more of the name`] : []),
          ...(asked.newChoice ? [`  n. ${asked.newChoice(query).replace(/^\+ /, '')}`] : []),
        );
      };
      if (query !== '' || !asked.newChoice) await list();
      for (;;) {
        const text = (await read(asked)).trim();
        if (isBack(text)) return {back: ''};
        if (asked.newChoice && /^n(ew)?$/i.test(text)) return {typed: query, isSame: false};
        const chosen = /^\d$/.test(text) ? listed[Number(text) - 1] : undefined;
        if (chosen) return {chosen};
        if (text === '')
          print(
            asked.newChoice
              ? 'Type a name or an email address, or n for a new customer.'
              : 'Type a number or part of the name.',
          );
        else if (/^\d$/.test(text) && listed.length > 0)
          print(`Answer with a number up to ${listed.length}, part of the name${asked.newChoice ? ', or n' : ''}.`);
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
    close,
  };
}

/** Reads a line that is not shown. */
function readHidden({input, output, signal}: Terminal, prompt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // A `terminal` without an output shows nothing.
    const lines = createInterface({input, terminal: true});
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      lines.off('close', ended);
      lines.close();
      output.write('\n');
      settle();
    };
    const stop = (): void => finish(() => reject(new PromptEnded('stopped')));
    const ended = (): void => finish(() => reject(new PromptEnded('ended')));
    lines.once('line', (text) => finish(() => resolve(text)));
    lines.once('SIGINT', stop);
    lines.once('error', ended);
    lines.once('close', ended);
    // The prompt is written last: a typed password must be hidden from that moment.
    output.write(prompt);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, {once: true});
  });
}
