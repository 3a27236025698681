// Confirmations, passwords and selections by inquirer, which redraws them.

import {linkAbort} from '../../common/deadlines.js';
import {PromptEnded, type RawInput, type StockQuestion, type Terminal} from './asker.js';

const PAGE_SIZE = 10;

export async function askOnTerminal(question: StockQuestion, {input, output, signal}: Terminal): Promise<unknown> {
  const prompt = await PROMPTS[question.type]();
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
    // Disables inquirer's shortcut that shows typed secrets: bystanders could read a key.
    const how = {mask: '*', toggleMask: false, loop: false, pageSize: PAGE_SIZE};
    try {
      return await prompt({...question, ...how} as never, {input, output, signal: ended.signal});
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

const PROMPTS = {
  confirm: async () => (await import('@inquirer/confirm')).default,
  password: async () => (await import('@inquirer/password')).default,
  select: async () => (await import('@inquirer/select')).default,
};

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
