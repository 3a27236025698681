// Questions as plain lines, for terminals that cannot move the cursor and for screen readers.

import {createInterface} from 'node:readline';
import {matchingChoices} from './matching.js';
import {PromptEnded, type Terminal, type TerminalQuestion} from './asker.js';

/** Maximum choices of a search that are listed at a time. */
const MAX_LISTED = 20;

export async function askPlainly(question: TerminalQuestion, terminal: Terminal): Promise<unknown> {
  const {type, message, choices = []} = question;
  const print = (...lines: string[]): void => {
    if (lines.length > 0) terminal.output.write(lines.map((line) => `${line}\n`).join(''));
  };
  let offered = choices;
  print(message, ...rowsOf(offered, type));
  for (;;) {
    const typed = await nextLineOf(terminal, promptOf(question), type);
    const result = readPlainAnswer({...question, choices: offered}, typed);
    if ('answer' in result) {
      if (result.echo !== undefined && result.echo !== typed) print(result.echo);
      return result.answer;
    }
    if ('fault' in result) print(result.fault);
    if (type !== 'search') continue;
    offered = 'found' in result ? result.found : choices;
    print(...rowsOf(offered, type));
  }
}

type Choices = NonNullable<TerminalQuestion['choices']>;

function rowsOf(choices: Choices, type: TerminalQuestion['type']): string[] {
  const maxRows = type === 'search' ? MAX_LISTED : choices.length;
  const rows = choices
    .slice(0, maxRows)
    .map(({name, detail}, index) => `  ${index + 1}. ${name}${detail === undefined ? '' : `  ${detail}`}`);
  return choices.length > maxRows ? [...rows, `  and ${choices.length - maxRows} more`] : rows;
}

function promptOf({type, default: initial, choices = []}: TerminalQuestion): string {
  if (type === 'confirm') return initial === true ? 'Yes or no (yes): ' : 'Yes or no (no): ';
  if (type === 'select') return `1 to ${choices.length}, or a name: `;
  if (type === 'search') return 'Number, or part of the name: ';
  return initial === undefined ? '> ' : `(${String(initial)}) > `;
}

function readPlainAnswer(
  {type, default: initial, choices = [], validate}: TerminalQuestion,
  typed: string,
): {readonly answer: unknown; readonly echo?: string} | {readonly fault: string} | {readonly found: Choices} {
  if (type === 'confirm') {
    const word = typed.trim().toLowerCase();
    if (word === '') return {answer: initial === true, echo: initial === true ? 'Yes.' : 'No.'};
    return /^(y|yes|n|no)$/.test(word) ? {answer: word.startsWith('y')} : {fault: 'Answer yes or no.'};
  }
  if (type === 'select' || type === 'search') {
    const listed = type === 'search' ? choices.slice(0, MAX_LISTED) : choices;
    const chosen = /^\s*\d+\s*$/.test(typed) ? listed[Number(typed) - 1] : undefined;
    if (chosen) return {answer: chosen.value, echo: chosen.name};
    const found = matchingChoices(choices, typed);
    if (type === 'select' && found.length === 1) return {answer: found[0]!.value, echo: found[0]!.name};
    if (type === 'select') return {fault: `Answer with a number from 1 to ${choices.length}, or a name.`};
    return found.length === 0 ? {fault: 'No matches.'} : {found};
  }
  const text = typed === '' && initial !== undefined ? String(initial) : typed;
  const verdict = validate?.(text) ?? true;
  return verdict === true ? {answer: text, ...(type === 'input' && {echo: text})} : {fault: verdict};
}

/** Reads the next line. A password is not shown while typed. */
function nextLineOf(
  {input, output, signal}: Terminal,
  prompt: string,
  type: TerminalQuestion['type'],
): Promise<string> {
  const hidden = type === 'password';
  return new Promise((resolve, reject) => {
    // With an output, readline would move the cursor. A `terminal` without an output shows nothing.
    const lines = createInterface({input, terminal: hidden});
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      lines.removeAllListeners();
      lines.close();
      if (hidden) output.write('\n');
      settle();
    };
    const stop = (): void => finish(() => reject(new PromptEnded('stopped')));
    lines.once('line', (text) => finish(() => resolve(text)));
    lines.once('SIGINT', stop);
    lines.once('close', () => finish(() => reject(new PromptEnded('ended'))));
    // The prompt is written last: a typed password must be hidden from that moment.
    output.write(prompt);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, {once: true});
  });
}
