// Bars of a chart, drawn in eighths of a character.

const EIGHTHS = ' ▏▎▍▌▋▊▉';

/** A bar of at most this many columns; whatever is not nothing shows at least a line. */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!.trim();
}
