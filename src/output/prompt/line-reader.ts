// Lines as they are typed, one after the other, where nothing may be drawn: what is typed or pasted ahead is kept.

import {createInterface} from 'node:readline';

export interface LineReader {
  /** Forgets lines that came and were not given yet: they are no answer to what was not asked. */
  readonly forget: () => void;
  readonly close: () => void;
}

/** @param onLine gets each line in a turn of its own */
export function openLines(
  input: NodeJS.ReadableStream,
  {onLine, onEnd}: {readonly onLine: (text: string) => void; readonly onEnd: () => void},
): LineReader {
  const waiting: string[] = [];
  let timer: NodeJS.Immediate | undefined;
  const give = (): void => {
    timer = undefined;
    const line = waiting.shift();
    if (line === undefined) return;
    onLine(line);
    if (waiting.length > 0) timer ??= setImmediate(give);
  };
  // With an output of its own it would move the cursor.
  const lines = createInterface({input, terminal: false});
  lines.on('line', (text) => {
    waiting.push(text);
    timer ??= setImmediate(give);
  });
  lines.once('close', onEnd);
  return {
    forget: () => void waiting.splice(0),
    close: () => {
      if (timer) clearImmediate(timer);
      lines.removeAllListeners();
      lines.close();
    },
  };
}
