// Interactive questions by inquirer, which redraws them.

import {linkAbort} from '../../common/deadlines.js';
import {PromptEnded, type AskOnTerminal, type Question, type RawInput, type Terminal} from './question.js';

const PAGE_SIZE = 10;

export async function loadTerminalPrompt(): Promise<AskOnTerminal> {
  const {createPromptModule} = (await import('inquirer')).default;
  return (question, terminal) => ask(question, terminal, createPromptModule);
}

async function ask(
  question: Question,
  {input, output, signal}: Terminal,
  createPromptModule: (typeof import('inquirer'))['default']['createPromptModule'],
): Promise<unknown> {
  let resumed: boolean;
  // After Ctrl-Z the question is asked again.
  do {
    resumed = false;
    const ended = new AbortController();
    const release = linkAbort(ended, signal);
    const unwatch = watch(input, {
      end: () => ended.abort(),
      resumed: () => {
        resumed = true;
        ended.abort();
      },
    });
    const prompt = createPromptModule({input, output, signal: ended.signal} as never);
    // Disables inquirer's shortcut that shows typed secrets: bystanders could read a key.
    const how = {mask: '*', toggleMask: false, loop: false, pageSize: PAGE_SIZE, name: 'answer'};
    try {
      return ((await prompt([{...question, ...how}] as never)) as {answer: unknown}).answer;
    } catch (error) {
      const {name} = error as Error;
      if (name === 'ExitPromptError' || (name === 'AbortPromptError' && signal.aborted))
        throw new PromptEnded('stopped');
      if (name !== 'AbortPromptError') throw error;
    } finally {
      release();
      unwatch();
    }
  } while (resumed);
  throw new PromptEnded('ended');
}

/**
 * inquirer waits forever when the input ends: Ctrl-D pauses the stream, and a terminal that closes ends it.
 * Ctrl-Z pauses it too; back in the foreground, inquirer would not resume reading.
 */
function watch(input: RawInput, {end, resumed}: {end: () => void; resumed: () => void}): () => void {
  let watching = true;
  const onPause = (): void => void setImmediate(() => watching && resumed());
  const onKey = (_text: unknown, key?: {ctrl?: boolean; name?: string}): void => {
    if (key?.ctrl && key.name === 'd') setImmediate(() => input.isPaused() && end());
    if (key?.ctrl && key.name === 'z') {
      input.off('pause', onPause);
      input.on('pause', onPause);
    }
  };
  input.on('keypress', onKey);
  for (const event of ['end', 'close']) input.on(event, end);
  return () => {
    watching = false;
    input.off('keypress', onKey);
    input.off('pause', onPause);
    for (const event of ['end', 'close']) input.off(event, end);
  };
}
