// Finds the word that a mistyped one probably means.

import {distance} from 'fastest-levenshtein';

/**
 * The only candidate that begins with the word, else the closest one; those that begin with it come first.
 * @param most the largest edit distance
 */
export function nearestWord(
  word: string,
  candidates: readonly string[],
  most = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  const begun = candidates.filter((candidate) => word !== '' && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const [best] = (begun.length > 0 ? begun : candidates)
    .map((candidate) => ({candidate, away: distance(word, candidate)}))
    .sort((a, b) => a.away - b.away);
  return best && best.away <= most ? best.candidate : undefined;
}
