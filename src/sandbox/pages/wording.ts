// Times and names as the pages write them: Manila time, plain words.

const MANILA_OFFSET = 8 * 3600;
const DAY = 86_400;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `15 December 2026, 11:59 PM` in Manila, with a last space that does not break. A number that is not a time stays a number. @param at unix seconds */
export function manilaTime(at: number): string {
  const date = new Date((at + MANILA_OFFSET) * 1000);
  if (Number.isNaN(date.getTime())) return String(at);
  const hour = date.getUTCHours();
  const clock = `${hour % 12 || 12}:${String(date.getUTCMinutes()).padStart(2, '0')}\u00A0${hour < 12 ? 'AM' : 'PM'}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock}`;
}

const manilaDay = (at: number): number => Math.floor((at + MANILA_OFFSET) / DAY);

/** `in 3 days`, `tomorrow`, `9 days ago`: by the calendar of Manila. */
export function fromNow(at: number, now: number): string {
  const days = manilaDay(at) - manilaDay(now);
  if (days === 0) return at < now ? 'earlier today' : 'today';
  if (days === 1) return 'tomorrow';
  if (days === -1) return 'yesterday';
  const count = Math.abs(days).toLocaleString('en');
  return days > 0 ? `in ${count} days` : `${count} days ago`;
}

interface MethodWords {
  readonly name: string;
  /** What choosing it means, below its name. */
  readonly hint: string;
}

/** The methods that the pages offer, by their name on the wire. */
export const METHODS: Readonly<Record<string, MethodWords>> = {
  card: {name: 'Card', hint: 'Visa or Mastercard'},
  gcash: {name: 'GCash', hint: 'Approve on the next page'},
  maya: {name: 'Maya', hint: 'Approve on the next page'},
  billease: {name: 'BillEase', hint: 'Buy now, pay later'},
  qrph: {name: 'QR Ph', hint: 'Scan with any bank or wallet'},
};

export const methodName = (type: string): string => METHODS[type]?.name ?? type;

const BRANDS: Readonly<Record<string, string>> = {mastercard: 'Mastercard', visa: 'Visa'};

/** `Visa ending in 4242`, or the method's name. */
export function paidWith({type, card}: {readonly type: string; readonly card?: unknown}): string {
  if (!card) return methodName(type);
  const {brand, last4} = card as {brand: string; last4: string};
  return `${BRANDS[brand] ?? brand} ending in ${last4}`;
}

/** `4242 4242 4242 4242`. */
export const grouped = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');
