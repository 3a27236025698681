// How many of something, in words.

/** `1,200` */
export const count = (number: number): string => number.toLocaleString('en');

/** `1 item`, `1,200 items` */
export const counted = (number: number, what: string): string => `${count(number)} ${what}${number === 1 ? '' : 's'}`;
