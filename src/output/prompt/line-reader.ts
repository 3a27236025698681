// Reads lines at a terminal that is not redrawn. Keeps lines that the user typed or pasted ahead.

import {createInterface} from 'node:readline';

export interface LineReader {
  /** Drops lines that the user typed before the question. */
  readonly dropPending: () => void;
  readonly close: () => void;
}

/** @param onLine gets one line per turn of the event loop */
export function openLines(
  input: NodeJS.ReadableStream,
  {onLine, onEnd}: {readonly onLine: (text: string) => void; readonly onEnd: () => void},
): LineReader {
  const waiting: string[] = [];
  let timer: NodeJS.Immediate | undefined;
  const deliver = (): void => {
    timer = undefined;
    const line = waiting.shift();
    if (line === undefined) return;
    onLine(line);
    if (waiting.length > 0) timer ??= setImmediate(deliver);
  };
  // With an output, readline would move the cursor.
  const lines = createInterface({input, terminal: false});
  lines.on('line', (text) => {
    waiting.push(text);
    timer ??= setImmediate(deliver);
  });
  lines.once('close', onEnd);
  return {
    dropPending: () => void waiting.splice(0),
    close: () => {
      if (timer) clearImmediate(timer);
      lines.removeAllListeners();
      lines.close();
    },
  };
}
