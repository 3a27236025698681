// Texts of the responses that a listener sends in place of its app.

export const LISTENER_MESSAGES = {
  taken: 'The app already has this event.',
  held: 'Stored. An earlier event of the same object is being retried first.',
  stopping: 'Stored. It will be forwarded later.',
  late: 'Stored. The app has not responded in time.',
  failed: 'Stored. It could not be forwarded.',
  unreachable: 'Stored. The app cannot be reached.',
} as const;

export type ListenerCode = keyof typeof LISTENER_MESSAGES;

/** @param text the body of a response, or its first line */
export const listenerCodeIn = (text: string | null | undefined): ListenerCode | undefined =>
  (Object.keys(LISTENER_MESSAGES) as ListenerCode[]).find((word) => LISTENER_MESSAGES[word] === text?.trim());

/** Returns a sentence about a listener's response, with a replay command if useful; undefined for an app's response. */
export function explainListenerCode(text: string | null | undefined, url: string, event: string): string | undefined {
  const word = listenerCodeIn(text);
  const again = word === 'taken' ? ` To send it to your app again: centavo webhooks replay ${event}` : '';
  return word && `The listener at ${new URL(url).host} answered: ${LISTENER_MESSAGES[word]}${again}`;
}
