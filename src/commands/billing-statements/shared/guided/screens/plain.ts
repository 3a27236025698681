// The flow in plain lines: only what is new is said, and nothing is drawn anew.

import {clean, cleanLines} from '../../../../../output/format.js';
import {openLines} from '../../../../../output/prompt/line-reader.js';
import {loadMeasure} from '../../../../../output/prompt/measure.js';
import type {State} from '../state.js';
import {payerWords} from '../steps/customers.js';
import {usualWords, dueWords} from '../steps/due.js';
import {readingOf, sumWords} from '../steps/items.js';
import {changesIn, choices, effectOf} from '../steps/review.js';
import {describeFound, offers} from '../steps/unfinished.js';
import type {OpenScreen} from './screen.js';

export const openPlain: OpenScreen = async ({host, io}, {onEvent, onLeave}) => {
  const output = host.stderr;
  const {widthOf, wrap} = await loadMeasure();
  let step: string | undefined;
  let mark: string | undefined;
  let paused = false;
  const write = (text: string): void => {
    try {
      output.write(cleanLines(io.redact(text.split('\n').flatMap(wrapped).join('\n'))));
    } catch {
      // The terminal is gone.
    }
  };
  const wrapped = (line: string): string[] => {
    const [indent] = /^ */.exec(line)!;
    if (line.endsWith(': ') || widthOf(line) <= io.width) return [line];
    // What goes on, which may be a name, does not look like a line of its own.
    const more = `${indent}  `;
    return wrap(line.trimStart(), io.width - more.length).map((each, at) => (at === 0 ? indent : more) + each);
  };
  const lines = openLines(host.stdin as unknown as NodeJS.ReadableStream, {
    onLine: (text) => {
      if (!paused) onEvent({type: 'line', text});
    },
    onEnd: onLeave,
  });
  const rows = (all: readonly {key: string; words: string}[]): string[] =>
    all.map(({key, words}) => `  ${key}. ${words}`);

  /** What is said once, when a question is asked for the first time. */
  function opening(state: State): string[] {
    switch (state.step) {
      case 'unfinished':
        return [
          ...state.found
            .slice(0, 3)
            .map((found, index) => `Unfinished statement ${index + 1}: ${describeFound(found, state.now)}`),
          ...rows(offers(state)),
        ];
      case 'customer':
        return ['Who pays? Type a part of the name or email, or n for a new customer.'];
      case 'items':
        return state.items.length === 0
          ? ['Items, one a line: Web design x2 @ 15,000. An empty line ends, "back" goes back.']
          : [
              ...state.items.map((item, index) => `Line ${index + 1}: ${readingOf(item)}`),
              `${sumWords(state.items)}.`,
              'Another item; 3 edits line 3, -3 takes it out, undo; an empty line ends.',
            ];
      case 'due':
        return [`When is payment due? Dec 15, next friday, net 30, end of month. ${usualWords(state)}.`];
      case 'review':
        return [
          `To: ${payerWords(state)}`,
          ...state.items.map((item, index) => `Line ${index + 1}: ${readingOf(item)}`),
          sumWords(state.items),
          ...(state.dueAt === undefined ? [] : [`Due: ${dueWords(state.dueAt, state.now)}`]),
          ...changesIn(state),
          "What's next?",
          ...choices(state).map(
            (choice) => `  ${choice.key}. ${choice.words}. ${effectOf({...state, mark: choice.key})}`,
          ),
        ];
      case 'confirm':
        return [state.question ?? ''];
      default:
        return [];
    }
  }

  function promptOf(state: State): string {
    const {step: at, items, editing, bad} = state;
    if (at === 'items') {
      if (editing !== undefined) return `Line ${editing + 1}: `;
      return bad[0] ? `Pasted line ${bad[0].number} again (empty skips it): ` : `Line ${items.length + 1}: `;
    }
    const words = {
      unfinished: 'Number or letter: ',
      customer: 'Customer: ',
      name: 'Name of the new customer: ',
      email: 'Email: ',
      due: 'Due: ',
      review: 'Letter: ',
      confirm: 'Yes or no (no): ',
    };
    return words[at];
  }

  return {
    show: (state, event) => {
      // What is loaded meanwhile is no reason to ask again.
      if (event?.type === 'people') return;
      // Names are in most of them.
      const whole = (line: string): string => `${clean(line)}\n`;
      const said = state.said.map(whole);
      const first = step === undefined ? [whole(`${state.title}, ${state.account}`)] : [];
      const isNew =
        step !== state.step ||
        paused ||
        (state.step === 'unfinished' && mark !== state.mark && state.want === undefined);
      paused = false;
      if (state.busy !== undefined) return write([...first, ...said, `${state.busy}\n`].join(''));
      // What was typed ahead is no answer to these.
      if (isNew && /^(confirm|review)$/.test(state.step)) lines.forget();
      const words = isNew ? opening(state).map(whole) : [];
      step = state.step;
      mark = state.mark;
      write([...first, ...said, ...words, promptOf(state)].join(''));
    },
    pause: () => {
      paused = true;
    },
    close: () => lines.close(),
  };
};
