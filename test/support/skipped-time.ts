// The time that shortened waits stand for. It has passed for what comes later on the same machine, too.

const skipped = new Map<string, number>();

/** Milliseconds. @param dataDirectory that of the machine */
export const skippedOn = (dataDirectory: string): number => skipped.get(dataDirectory) ?? 0;

export const skip = (dataDirectory: string, milliseconds: number): void =>
  void skipped.set(dataDirectory, skippedOn(dataDirectory) + milliseconds);
