// The time that shortened waits stand for. Later commands on the same machine see it as passed.

const skipped = new Map<string, number>();

/** Milliseconds. @param dataDirectory of the machine */
export const skippedOn = (dataDirectory: string): number => skipped.get(dataDirectory) ?? 0;

export const skip = (dataDirectory: string, milliseconds: number): void =>
  void skipped.set(dataDirectory, skippedOn(dataDirectory) + milliseconds);
