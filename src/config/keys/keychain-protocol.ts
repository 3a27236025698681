// What centavo and the process that speaks to the keychain for it say to each other: one line of JSON each way.

export interface KeychainRequest {
  readonly operation: 'probe' | 'read' | 'remove' | 'write';
  readonly name: string;
  /** What to write. A probe writes it, too, and removes it again. */
  readonly secret?: string;
  /** Milliseconds after which the process ends itself, if nobody has ended it. */
  readonly limit: number;
}

export type KeychainAnswer =
  | {readonly outcome: 'done'; readonly secret?: string | null}
  | {
      readonly outcome: 'failed';
      /** `load`: the native package could not be loaded. `use`: the keychain said no. */
      readonly stage: 'load' | 'use';
      readonly message: string;
      /** Whether everything is as it was before. */
      readonly intact: boolean;
    };

/** The message for a keychain that does not give back what was stored. */
export const OTHER_VALUE = 'another value came back';
