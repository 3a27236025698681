// Waits for something that becomes true with an event: output, a request, the end of a process.

export class Watchers {
  readonly #looks = new Set<() => void>();

  readonly notify = (): void => {
    for (const look of this.#looks) look();
  };

  /** Looks now and at each notification. Resolves with the first value found; rejects with what `find` throws. */
  until<T>(find: () => T | null | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        try {
          const found = find();
          if (found === undefined || found === null) return;
          resolve(found);
        } catch (error) {
          reject(error as Error);
        }
        this.#looks.delete(look);
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Resolves when there are this many. */
  readonly counted = async (items: readonly unknown[], count: number): Promise<void> =>
    void (await this.until(() => items.length >= count || undefined));
}
