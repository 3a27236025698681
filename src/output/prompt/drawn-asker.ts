// Questions drawn in place with @inquirer/core. readline edits the text, and each question gets the other keys.

import type {Interface, Key} from 'node:readline';
import {createPrompt, useEffect, useKeypress, useState} from '@inquirer/core';
import {linkAbort} from '../../common/deadlines.js';
import {oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import {
  isBack,
  PromptEnded,
  type Asker,
  type Back,
  type ChoiceQuestion,
  type LineQuestion,
  type SearchQuestion,
  type SingleAsker,
  type Terminal,
  type TypedText,
} from './asker.js';
import {choiceListLines, fieldLine, FrameOutput, frameOf, wrapped, type FrameParts, type FrameStyle} from './frame.js';
import {Keyboard} from './keyboard.js';
import {matchingChoices, type NamedChoice} from './matching.js';

/** Milliseconds for which Enter is ignored at a careful question: it was probably meant for the previous one. */
const ENTER_DELAY = 500;
/** Maximum rows of a search. */
const MAX_ROWS = 9;
/** Rows that PgUp and PgDn move by. */
const PAGE = 8;
const SELECT_ROWS = 10;
/** Columns of `? ` before a question and `(y/N) No` after it. */
const PROMPT_COLUMNS = 11;

export interface DrawnHost {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly interrupt: () => void;
  readonly atExit: (cleanUp: () => void) => () => void;
}

interface DrawnOptions {
  readonly io: Pick<OutputStreams, 'paint' | 'redact' | 'width'>;
  readonly host: DrawnHost;
  /** The first line of each frame. */
  readonly title?: readonly [title: string, account: string];
  readonly isLive?: boolean;
}

/** The lines of a question. Without a column, the cursor is hidden. */
type View = Pick<FrameParts, 'below' | 'note' | 'question'> & {readonly column?: number};

type AnyQuestion = Pick<ChoiceQuestion, 'ask' | 'keys' | 'note' | 'summary'> &
  Partial<Pick<ChoiceQuestion, 'isCareful'> & Pick<LineQuestion, 'isList' | 'onTyping' | 'text'>> &
  Pick<SearchQuestion<NamedChoice>, 'onLoad'>;

type PromptContext = NonNullable<Parameters<ReturnType<typeof createPrompt>>[1]>;

type Press<Answer> = (key: Key, line: Interface) => {readonly answer: Answer} | undefined;

/** @param terminal the streams; their modes are restored by `close` */
export async function openDrawnAsker(
  {input, output: stream, signal}: Terminal,
  {io, host, title, isLive}: DrawnOptions,
): Promise<SingleAsker> {
  const measure = await textMeasureFor();
  const output = new FrameOutput(stream, measure.widthOf);
  let leave: ((reason: PromptEnded['reason']) => void) | undefined;
  /** Draws the open question again. */
  let redraw: (() => void) | undefined;
  /** True while keys are delivered that were typed before the question. */
  let isAhead = false;
  let isClosed = false;
  const keys = new Keyboard({
    input,
    now: host.now,
    onLeave: (reason) => (leave ? leave(reason) : host.interrupt()),
  });
  const clean = (text: string): string => oneLineText(io.redact(text));
  const paint: FrameStyle['paint'] = (style, text) => io.paint(style, text, 'stderr');
  const onResize = (): void => {
    if (!redraw) return;
    output.erase();
    output.space();
    redraw();
  };
  stream.on('resize', onResize);
  output.open();
  const cancelExit = host.atExit(() => output.close());

  /** Asks a question until a key gives the answer. readline edits the line before `press` gets the key. */
  function show<Answer>(
    asked: AnyQuestion,
    draw: (line: Pick<Interface, 'cursor' | 'line'>, style: FrameStyle) => View,
    press: Press<Answer>,
  ): Promise<Answer> {
    if (asked.isCareful || asked.note?.tone === 'warning') keys.dropEnter();
    const {text = ''} = asked;
    // readline opens only after the first frame, which must show the text too.
    let edited = {line: text, cursor: text.length} as Interface;
    let [turn, scrolled, page] = [0, 0, 1];
    const prompt = createPrompt<Answer, object>((_, done) => {
      const [, setTurn] = useState(0);
      useEffect((line) => {
        edited = line as unknown as Interface;
        if (text) line.write(text);
        redraw = () => setTurn(++turn);
        const stop = asked.onLoad?.(redraw);
        redraw();
        return () => {
          redraw = undefined;
          stop?.();
        };
      }, []);
      useKeypress((key: Key, line) => {
        if (key.name === 'pageup' || key.name === 'pagedown') scrolled += key.name === 'pageup' ? page : -page;
        const pressed = press(key, line as unknown as Interface);
        if (!pressed) return setTurn(++turn);
        keys.hold();
        done(pressed.answer);
      });
      const style = {...output.size, measure, paint, clean};
      const {column, ...view} = draw(edited, style);
      const summary = asked.summary?.(style);
      scrolled = Math.max(0, Math.min(scrolled, (summary?.rows?.length ?? 0) - page));
      const help = `${view.note?.suggestion === undefined ? '' : 'Tab use the suggestion · '}${asked.keys}`;
      const frame = frameOf({...view, title, isLive, summary, keys: help, scrolled}, style);
      page = frame.page;
      output.draws(frame, column);
      // Long text is scrolled in its field.
      edited.getCursorPos = () => ({rows: 0, cols: column ?? 0});
      return [frame.above.join('\n'), frame.below.join('\n')];
    });
    const listen = (): void => keys.listen(asked.isCareful ? () => true : asked.isList);
    return run((context) => prompt({}, context), listen, true);
  }

  async function run<Answer>(
    prompt: (context: PromptContext) => Promise<Answer>,
    listen: () => void,
    clearPromptOnDone: boolean,
  ): Promise<Answer> {
    if (signal.aborted) throw new PromptEnded('stopped');
    const ended = new AbortController();
    const release = linkAbort(ended, signal);
    let reason: PromptEnded['reason'] = 'stopped';
    leave = (why) => {
      reason = why;
      ended.abort();
    };
    // Another prompt may have used the terminal since.
    keys.acquire();
    try {
      const context = {input: keys, output, signal: ended.signal, clearPromptOnDone};
      const answer = prompt(context as never);
      isAhead = true;
      listen();
      isAhead = false;
      const value = await answer;
      // Ctrl-C behind the answer.
      if (ended.signal.aborted) throw new PromptEnded(reason);
      return value;
    } catch (error) {
      if (ended.signal.aborted) throw new PromptEnded(reason);
      throw error;
    } finally {
      leave = undefined;
      keys.hold();
      release();
      output.draws();
    }
  }

  async function askStock<Answer>(
    prompt: (config: never, context: PromptContext) => Promise<Answer>,
    {message, ...config}: {readonly message: string; readonly [option: string]: unknown},
    hasCursor = true,
  ): Promise<Answer> {
    const wide = measure.wrap(clean(message), Math.max(20, io.width - PROMPT_COLUMNS)).join('\n  ');
    output.hasCursor = hasCursor;
    const ask = (context: PromptContext): Promise<Answer> => prompt({...config, message: wide} as never, context);
    return run(ask, () => keys.listen(() => true, true), false);
  }

  const boldLines = (text: string, style: FrameStyle): string[] =>
    wrapped(`? ${text}`, style).map((line, at) => paint('bold', at === 0 ? line : `  ${line}`));

  /** The prompt with the text of the line. A long question has lines of its own. */
  function fieldView(ask: string, {line, cursor}: Pick<Interface, 'cursor' | 'line'>, style: FrameStyle) {
    const asked = clean(ask);
    const isLong = measure.widthOf(asked) > style.width / 2;
    const prompt = isLong ? '  > ' : `? ${asked} `;
    const {text, column} = fieldLine(prompt, line, cursor, style);
    return {question: [...(isLong ? boldLines(ask, style) : []), paint('bold', prompt) + text], column};
  }

  /** Asks with a text field. `below` gives the lines under it, and `press` the answer to a key. */
  function askTyped<Answer>(
    asked: AnyQuestion,
    below: (text: string, style: FrameStyle, hasNote: boolean) => readonly string[],
    press: (key: Key, line: Interface, isSame: boolean) => ReturnType<Press<Answer>>,
  ): Promise<Answer> {
    let {note, text = ''} = asked;
    let isSame = true;
    return show<Answer>(
      asked,
      (line, style) => ({
        ...fieldView(asked.ask, line, style),
        ...{note, below: below(line.line, style, note !== undefined)},
      }),
      (key, line) => {
        const answer = press(key, line, isSame);
        if (key.name === 'take' && note?.suggestion !== undefined) replaceText(line, note.suggestion);
        if (key.name === 'paste' && !answer) line.write((key.sequence ?? '').replace(/[\r\n\t]+/g, ' '));
        if (!answer && line.line !== text) {
          text = line.line;
          note = undefined;
          isSame = false;
          asked.onTyping?.(text);
        }
        return answer;
      },
    );
  }

  return {
    line: (asked) =>
      askTyped<Awaited<ReturnType<Asker['line']>>>(
        asked,
        (typed, style, hasNote) => {
          const read = hasNote ? undefined : asked.preview?.(typed);
          const lines = read === undefined ? [] : wrapped(read, style).slice(0, 2);
          return lines.map((each) => `  ${paint('dim', each)}`);
        },
        ({name, sequence = ''}, {line, cursor}, isSame) => {
          if (name === 'escape') return {answer: {back: line}};
          if (name === 'accept') return {answer: isBack(line) ? {back: ''} : {typed: line, isSame}};
          return name === 'paste' && asked.isList?.(sequence)
            ? {answer: {pasted: sequence, before: line.slice(0, cursor), after: line.slice(cursor)}}
            : undefined;
        },
      ),
    choose: (asked) => {
      const {choices} = asked;
      let {mark, note} = asked;
      let enterFrom = asked.isCareful ? host.now() + ENTER_DELAY : 0;
      const at = (): number => choices.findIndex(({key}) => key === mark);
      return show<string | undefined>(
        asked,
        (_, style) => {
          const rows = choices.map(({key, name}) => ({name: `${key}  ${name}`}));
          const effect = choices[at()]?.effect;
          const told = effect === undefined ? [] : wrapped(effect, style).map((each) => `  ${each}`);
          const list = choiceListLines(rows, {selected: at(), rows: rows.length}, style);
          return {question: boldLines(asked.ask, style), note, below: [...list, ...told]};
        },
        ({name, sequence = ''}, line) => {
          const [typed, ...others] = new Set(name === undefined ? sequence.toLowerCase() : '');
          const letter = others.length === 0 && choices.find(({key}) => key === typed);
          // The letters edit the line of readline, which a choice does not show.
          line.write(null, {ctrl: true, name: 'u'});
          if (name === 'escape') return {answer: undefined};
          if (name === 'accept' && host.now() < enterFrom) return undefined;
          if (name === 'accept' && at() >= 0) return {answer: mark};
          if (name === 'accept') note = {tone: 'info', text: 'Choose first, with ↑↓ or a letter. Then press Enter.'};
          const by = name === 'previous' ? -1 : name === 'next' ? 1 : 0;
          if (by !== 0) mark = choices[moved(at(), by, choices.length)]!.key;
          if (letter) mark = letter.key;
          // Words are pasted, or meant for another question: the Enter behind them confirms nothing.
          if (others.length > 0) mark = undefined;
          // A user who presses another key has seen the question.
          else if (!isAhead && (by !== 0 || typed !== undefined)) enterFrom = 0;
          if (by !== 0 || letter) note = undefined;
          return undefined;
        },
      );
    },
    search: <T extends NamedChoice>(asked: SearchQuestion<T>) => {
      const {choices, newChoice} = asked;
      let shown: {readonly text: string; readonly found: readonly T[]} | undefined;
      const kept = newChoice ? 1 : 0;
      let at = 0;
      /** Finds the choices that match. Rows already shown keep their place; choices that are loaded later go below. */
      const find = (text: string): readonly T[] => {
        const found = matchingChoices(choices(), text);
        if (shown?.text !== text) {
          shown = {text, found};
          at = text !== '' && found.length > 0 ? kept : 0;
        } else if (shown.found.length < found.length) {
          const known = new Set(shown.found);
          shown = {text, found: [...shown.found, ...found.filter((each) => !known.has(each))]};
        }
        return shown.found;
      };
      return askTyped<Back | TypedText | {readonly chosen: T}>(
        asked,
        (typed, style) => {
          const text = typed.trim();
          const found = find(text);
          const rows = [...(newChoice ? [{name: newChoice(text)}] : []), ...found];
          const most = Math.max(2, Math.min(MAX_ROWS, style.height - 8));
          const list = choiceListLines(rows, {selected: at, rows: most, isFirstKept: kept > 0}, style);
          const status = measure.cut(clean(asked.status(text, found.length)), style.width - 2);
          return [...list, `  ${paint('dim', status)}`];
        },
        ({name}, line, isSame) => {
          const text = line.line.trim();
          const found = find(text);
          const by = {previous: -1, next: 1, pageup: -PAGE, pagedown: PAGE}[name ?? ''];
          if (by !== undefined) at = moved(at, by, found.length + kept);
          if (name === 'escape' && line.line === '') return {answer: {back: ''}};
          if (name === 'escape') replaceText(line, '');
          const chosen = found[at - kept];
          if (name !== 'accept' || (!chosen && !newChoice)) return undefined;
          return {answer: chosen ? {chosen} : {typed: text, isSame}};
        },
      );
    },
    confirm: async (message, initial) => {
      const theme = {keywords: {error: () => 'Answer y or n. Ctrl-U clears the line.'}};
      return askStock((await import('@inquirer/confirm')).default, {message, default: initial, theme});
    },
    password: async (message) => {
      // Without inquirer's shortcut that shows typed secrets: bystanders could read a key.
      return askStock((await import('@inquirer/password')).default, {message, mask: '*', toggleMask: false});
    },
    select: async (message, names) => {
      const choices = names.map((name, value) => ({name: clean(name), value}));
      const prompt = (await import('@inquirer/select')).default<number>;
      const theme = {style: {keysHelpTip: () => paint('dim', '↑↓ move · Enter select · Ctrl-C quit')}};
      return askStock(prompt, {message, choices, theme, loop: false, pageSize: SELECT_ROWS}, false);
    },
    say: () => {},
    wait: async (text, work) => {
      output.print(`${measure.cut(clean(text), output.size.width)}\r`);
      try {
        return await work;
      } finally {
        output.print('\u001B[K');
      }
    },
    dropTypedAhead: () => keys.drop(),
    close: () => {
      if (isClosed) return;
      isClosed = true;
      cancelExit();
      stream.off('resize', onResize);
      keys.close();
      output.close();
    },
  };
}

const moved = (at: number, by: number, count: number): number =>
  at < 0 ? (by > 0 ? 0 : count - 1) : Math.max(0, Math.min(count - 1, at + by));

function replaceText(line: Interface, text: string): void {
  line.write(null, {ctrl: true, name: 'e'});
  line.write(null, {ctrl: true, name: 'u'});
  if (text !== '') line.write(text);
}
