// The flags that lift a guard. Only a person may add one: no error suggests them to a program, and no typo does.

export const OVERRIDES: ReadonlySet<string> = new Set(
  `accept-names adopt again allow-duplicate allow-host allow-owed allow-remote allow-repeated-items
  force forward-remote insecure-storage live resend-unknown skip-verify yes`.split(/\s+/),
);

/** True for an argument such as `--force` or `--insecure-storage=live`. */
export const isOverride = (arg: string): boolean => arg === '-y' || OVERRIDES.has(/^--([\w-]+)/.exec(arg)?.[1] ?? '');
