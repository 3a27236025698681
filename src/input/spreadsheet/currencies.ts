// Words and signs of money other than pesos, and of scales such as thousands.

/** Names and signs that a sheet writes for other currencies, beside their ISO codes. */
const NAMES =
  '(?:dollars?|dolyar|euros?|yen|pounds|sterling|yuan|renminbi|won|ringgit|baht|rupees?|rupiah|dong|dirhams?|riyals?|francs?|(?:mexic|argentin|chile|colombi)\\p{L}* pesos?)(?!\\p{L})';
const SIGNS = String.raw`[$€£¥₩₹฿₫₽]|\bRM(?=\s?\d)|\bRs\.?(?=\s?\d)|\bkr\b`;
/** Common currency codes. Other codes look like words, and count only after `currency` or `in`. */
const CODES =
  '(?<!\\p{L})(?:USD|EUR|GBP|JPY|CNY|RMB|KRW|INR|SGD|HKD|AUD|NZD|CAD|CHF|MYR|THB|IDR|VND|TWD|AED|SAR|QAR|KWD|MXN)(?!\\p{L})';
const MARKED = new RegExp(`${SIGNS}|${CODES}`, 'iu');
const NAMED = new RegExp(String.raw`(?<!\p{L})${NAMES}`, 'iu');
/** In a title, a name may be a person's: `Won Kim`. It is money if it is all, or stands behind `in` or `currency`. */
const NAMED_IN_TITLE = new RegExp(
  String.raw`(?:^\W*|\b(?:in|sa|are|currency)\W+)(?:(?!the )\p{L}+ ){0,2}${NAMES}(?:(?<=\b(?:in|sa|are|currency)\W.*)|\W*$)`,
  'iu',
);
const NAMED_CODE =
  /\b(?:currency|curr|ccy|amounts?|prices?|figures?|values?|denominated|expressed)\b(?:\W+(?:all|are|in))*\W+([A-Z]{3})\b/i;
const SCALE =
  /['’]000s?\b|(?:^|[(]|\b(?:in|php|pesos?)\W{1,2})000s?\b|\b000s\b|\b000 omitted|(?:\b(?:in|of|php|pesos?|units?)\W{1,2}|₱ ?)(?:thousand|million|hundred)s?\b|\b(?:thousand|million|lakh)s\b|\b(?:thousand|million)\W{1,2}(?:php|pesos?)\b|^\W*(?:thousand|million)\W*$|\bper (?:1,?0{2,3}\b|doz|hundred|thousand)|(?:^|[(])[x×] ?1,?000\b/i;

/** True for text with money of another currency: `$5`, `USD`, `US Dollars`. */
export const isForeignMoney = (text: string): boolean =>
  MARKED.test(text) || NAMED.test(text) || /(?<!\p{L})US(?!\p{L})/u.test(text);

/** True for a title with another currency: `All amounts in US Dollars`, `Currency: NOK`. */
export const namesForeignMoney = (text: string): boolean => {
  const [, code = 'PHP'] = NAMED_CODE.exec(text) ?? [];
  const isCode = code !== 'PHP' && Intl.supportedValuesOf('currency').includes(code);
  return isCode || MARKED.test(text) || NAMED_IN_TITLE.test(text) || /\bin (?:cents?|centavos?)\b/i.test(text);
};

/** True for a title or header with another scale than pesos: `(in thousands of pesos)`, `₱'000`, `per 100`. */
export const namesScale = (text: string): boolean => SCALE.test(text);

/** True for a cell that names pesos: `PHP`, `₱`, `Philippine Peso`. */
export const isPesoWord = (cell: string): boolean =>
  /^(?:₱|php|p|pesos?|piso|philippines?|filipino)+$/.test(cell.toLowerCase().replace(/[^\p{L}₱]/gu, ''));
