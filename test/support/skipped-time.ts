// The time that shortened waits stand for. Later commands on the same machine see it as passed.

import {setTimeout as delay} from 'node:timers/promises';

const skipped = new Map<string, number>();

/** Milliseconds. @param dataDirectory of the machine */
export const skippedOn = (dataDirectory: string): number => skipped.get(dataDirectory) ?? 0;

/** Waits for a share of the time. */
export const sleepOn =
  (dataDirectory: string, pace: number) =>
  async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    await delay(milliseconds * pace, undefined, {signal});
    skipped.set(dataDirectory, skippedOn(dataDirectory) + milliseconds * (1 - pace));
  };
