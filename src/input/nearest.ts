// Finds the word that a mistyped one probably means.

import {distance} from 'fastest-levenshtein';

/**
 * The only candidate that begins with the word, else the closest one, preferring candidates that begin with it.
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
