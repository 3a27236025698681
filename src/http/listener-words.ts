// What a listener of this machine answers in place of its app. Whoever reads an answer knows by these words that it is not the app's.

export const LISTENER_WORDS = {
  taken: 'The app already has this event.',
  held: 'Stored. An earlier event of the same object is being retried first.',
  stopping: 'Stored. It will be forwarded later.',
  late: 'Stored. The app has not responded in time.',
  failed: 'Stored. It could not be forwarded.',
  unreachable: 'Stored. The app cannot be reached.',
} as const;

export type ListenerWord = keyof typeof LISTENER_WORDS;

/** @param text the body of an answer, or its first line */
export const listenerWordIn = (text: string | null | undefined): ListenerWord | undefined =>
  (Object.keys(LISTENER_WORDS) as ListenerWord[]).find((word) => LISTENER_WORDS[word] === text?.trim());

/** In a sentence, with what sends the event to the app again. @param text as above */
export function listenerAnswer(text: string | null | undefined, url: string, event: string): string | undefined {
  const word = listenerWordIn(text);
  const again = word === 'taken' ? ` To send it to your app again: centavo webhooks replay ${event}` : '';
  return word && `The listener at ${new URL(url).host} answered: ${LISTENER_WORDS[word]}${again}`;
}
