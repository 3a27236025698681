// The seed of all random input: fixed, so that one commit always gets one answer. `npm run soak` draws others, and prints them.

/** Below 2 ** 28: a simulated world derives ten seeds, which must be below 2 ** 32. */
export const SEED = Number(process.env.CENTAVO_SEED ?? 1);
