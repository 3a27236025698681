// Formats counts for messages, with thousands separators.

export const formatInteger = (number: number): string => number.toLocaleString('en');

/** `1 item`, `1,200 items` */
export const formatCount = (number: number, noun: string): string =>
  `${formatInteger(number)} ${noun}${number === 1 ? '' : 's'}`;

/** Text after the response to the last attempt. @param same true if all attempts got the same response */
export const formatAttempts = (attempts: number, same: boolean): string =>
  attempts <= 1 ? '' : same ? `, ${attempts} times` : `, in the last of ${attempts} attempts`;
