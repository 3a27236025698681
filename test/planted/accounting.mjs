// Bugs planted in the account of the money. planted.mjs explains the fields.

const STANDING = 'src/accounting/standing.ts';
const MOVEMENTS = 'src/accounting/movements.ts';
const REPLACEMENTS = 'src/accounting/replacements.ts';

const STANDINGS = ['test/accounting/standing.test.ts'];

/** @type {readonly import('./planted.mjs').Planted[]} */
export const ACCOUNTING = [
  {
    harm: 'Cash dated before its bill makes the customer owe less than nothing until the bill.',
    file: STANDING,
    find: 'bookedAt: Math.max(at ?? 0, from)',
    replace: 'bookedAt: at ?? from',
    tests: STANDINGS,
  },
  {
    harm: 'A rest that was given up counts as paid in cash.',
    file: STANDING,
    find: 'settlement !== undefined && !settlement.isGivenUp && (',
    replace: 'settlement !== undefined && (',
    tests: STANDINGS,
  },
  {
    harm: 'A statement paid in cash and marked uncollectible afterwards is billed again.',
    file: STANDING,
    find: "(settlement.isCertain || status === 'void')",
    replace: "status === 'void'",
    tests: STANDINGS,
  },
  {
    harm: 'A void statement that was paid is void, and billed again.',
    file: STANDING,
    find: "(attempt === 'succeeded' ||\n      (",
    replace: "((attempt === 'succeeded' && !isStatement) ||\n      (",
    tests: STANDINGS,
  },
  {
    harm: 'A session whose money is held counts as paid.',
    file: STANDING,
    find: "status === 'completed' && (attempt === 'none' || attempt === 'unknown')",
    replace: "status === 'completed'",
    tests: STANDINGS,
  },
  {
    harm: 'A payment whose refunds are not known has no refunds.',
    file: STANDING,
    find: 'const refunded = isPaid ? centavosOf(payment?.amount_refunded) : 0;',
    replace: 'const refunded = isPaid ? (centavosOf(payment?.amount_refunded) ?? 0) : 0;',
    tests: STANDINGS,
  },
  {
    harm: 'A refund that was perhaps made gives its date to a refund from elsewhere.',
    file: STANDING,
    find: 'Number(b.isCertain) - Number(a.isCertain)',
    replace: 'Number(a.isCertain) - Number(b.isCertain)',
    tests: STANDINGS,
  },
  {
    harm: 'Own refunds that the service does not show count as refunded.',
    file: STANDING,
    find: "add('refund', Math.min(undated, own), {at",
    replace: "add('refund', own, {at",
    tests: STANDINGS,
  },
  {
    harm: 'An overdue statement whose payment waits for approval is no longer overdue.',
    file: STANDING,
    find: "    if (isStatement && (daysOverdue(object, now) ?? 0) > 0) return 'overdue';\n    if (attempt === 'approving') return 'approving';\n",
    replace:
      "    if (attempt === 'approving') return 'approving';\n    if (isStatement && (daysOverdue(object, now) ?? 0) > 0) return 'overdue';\n",
    tests: STANDINGS,
  },
  {
    harm: 'A statement without an amount is a statement of nothing.',
    file: STANDING,
    find: "if (!hasAmount) unknown.add('amount');",
    replace: '',
    tests: STANDINGS,
  },
  {
    harm: 'A payment of the last second of a month is in no month.',
    file: MOVEMENTS,
    find: 'at >= since && at <= until',
    replace: 'at >= since && at < until',
    tests: ['test/accounting/movements.test.ts'],
  },
  {
    harm: 'A statement whose replacement is void counts as replaced.',
    file: REPLACEMENTS,
    find: "if (!isGone(next.id, next.status === 'void'))",
    replace: "if (isGone(next.id, next.status === 'void'))",
    tests: ['test/accounting/replacements.test.ts'],
  },
];
