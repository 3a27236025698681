// Bars for charts at a terminal.

import type {OutputStreams} from '../streams.js';

const EIGHTHS = ' ▏▎▍▌▋▊▉';
const FULL = '█';

/** Returns a bar in proportion to the largest value, visible if above zero. @param width columns of the longest bar */
export function bar(
  value: number,
  largest: number,
  width: number,
  {plain, utf8}: Pick<OutputStreams, 'plain' | 'utf8'>,
): string {
  if (plain || width < 1 || !(value > 0) || !(largest > 0)) return '';
  const share = Math.min(1, value / largest) * width;
  if (!utf8) return '#'.repeat(Math.max(1, Math.round(share)));
  const eighths = Math.max(1, Math.round(share * 8));
  return FULL.repeat(Math.floor(eighths / 8)) + EIGHTHS.charAt(eighths % 8).trim();
}
