// Questions as plain lines, for terminals that cannot move the cursor and for screen readers.

import {createInterface} from 'node:readline';
import {Unanswered, type Ask, type Question, type Terminal} from './question.js';

export const askPlainly: Ask = async (question, terminal) => {
  const {message, choices = []} = question;
  const lines = [message, ...choices.map(({name}, index) => `  ${index + 1}. ${name}`)];
  terminal.output.write(lines.map((line) => `${line}\n`).join(''));
  for (;;) {
    const reading = read(question, await lineOf(terminal, promptOf(question), question.type === 'password'));
    if ('answer' in reading) return reading.answer;
    terminal.output.write(`${reading.fault}\n`);
  }
};

function promptOf({type, default: initial, choices = []}: Question): string {
  if (type === 'confirm') return initial === true ? 'Yes or no (yes): ' : 'Yes or no (no): ';
  if (type === 'select') return `1 to ${choices.length}: `;
  return initial === undefined ? '> ' : `(${String(initial)}) > `;
}

function read(
  {type, default: initial, choices = [], validate}: Question,
  typed: string,
): {readonly answer: unknown} | {readonly fault: string} {
  if (type === 'confirm') {
    const word = typed.trim().toLowerCase();
    if (word === '') return {answer: initial === true};
    return /^(y|yes|n|no)$/.test(word) ? {answer: word.startsWith('y')} : {fault: 'Answer yes or no.'};
  }
  if (type === 'select') {
    const chosen = /^\s*\d+\s*$/.test(typed) ? choices[Number(typed) - 1] : undefined;
    return chosen ? {answer: chosen.value} : {fault: `Answer with a number from 1 to ${choices.length}.`};
  }
  const text = typed === '' && initial !== undefined ? String(initial) : typed;
  const verdict = validate?.(text) ?? true;
  return verdict === true ? {answer: text} : {fault: verdict};
}

/** The next line. @param hidden the terminal does not show it */
function lineOf({input, output, signal}: Terminal, prompt: string, hidden: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    // With an output, readline would move the cursor; as a `terminal` without one, it shows nothing.
    const lines = createInterface({input, terminal: hidden});
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      lines.removeAllListeners();
      lines.close();
      if (hidden) output.write('\n');
      settle();
    };
    const stop = (): void => finish(() => reject(new Unanswered('stopped')));
    lines.once('line', (text) => finish(() => resolve(text)));
    lines.once('SIGINT', stop);
    lines.once('close', () => finish(() => reject(new Unanswered('ended'))));
    // Written last: the answer must be hidden from the moment that the prompt shows.
    output.write(prompt);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, {once: true});
  });
}
