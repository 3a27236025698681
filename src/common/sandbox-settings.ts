// The settings of a sandbox's file. A separate file, because a start must not load the sandbox.

/** `withholding` also takes 0.5 % tax. */
export const FEES = ['standard', 'withholding', 'none'] as const;
/** Where an event has its object: in `data`, or in `data.resource` as in older documentation. */
export const EVENT_SHAPES = ['data', 'resource'] as const;

export interface SandboxSettings {
  /** `standard` by default: the fees that test mode was recorded to take. */
  readonly fees?: (typeof FEES)[number];
  /** The shape of the events that are sent; `data` by default. */
  readonly eventShape?: (typeof EVENT_SHAPES)[number];
}
