// Cuts long texts, such as those of the service, before they are printed for people.

/** Maximum characters of a text of the service that is printed for people or stands in an error. */
export const MAX_TEXT = 400;
/** Maximum characters of a link, which is copied as a whole. */
export const MAX_LINK = 1000;

/** Cuts a long text between characters. Also cuts the word at the end: a part of a secret would not be recognized. */
export const boundedText = (text: string, max = MAX_TEXT): string =>
  text.length <= max
    ? text
    : `${text
        .slice(0, max)
        .replace(/\S{0,120}$/u, '')
        .trimEnd()} … (${text.length} characters)`;
