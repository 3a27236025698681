// Finds the word that the user probably meant.

import {distance} from 'fastest-levenshtein';

/**
 * Returns the closest candidate, preferring candidates that start with the word. A single such candidate is enough.
 * @param maxDistance the largest edit distance
 */
export function nearestWord(
  word: string,
  candidates: readonly string[],
  maxDistance = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  const prefixed = candidates.filter((candidate) => word !== '' && candidate.startsWith(word));
  if (prefixed.length === 1) return prefixed[0];
  const [best] = (prefixed.length > 0 ? prefixed : candidates)
    .map((candidate) => ({candidate, away: distance(word, candidate)}))
    .sort((a, b) => a.away - b.away);
  return best && best.away <= maxDistance ? best.candidate : undefined;
}
