// Words and signs of money other than pesos, and of scales such as thousands.

/** Names and signs that a sheet writes for other currencies, beside their ISO codes. */
const NAMES =
  'dollars? euros? yen pounds sterling yuan renminbi won ringgit baht rupees? rupiah dong dirhams? riyals? francs?';
const SIGNS = String.raw`[$€£¥₩₹฿₫₽]|\bRM(?=\s?\d)|\bRs\.?(?=\s?\d)|\bkr\b`;
/** Codes of the currencies that Filipino merchants meet: others are told from words only behind `currency` or `in`. */
const CODES = 'USD EUR GBP JPY CNY RMB KRW INR SGD HKD AUD NZD CAD CHF MYR THB IDR VND TWD AED SAR QAR KWD';
const oneOf = (words: string): string => `(?:${words.replaceAll(' ', '|')})`;
const FOREIGN = new RegExp(String.raw`${SIGNS}|(?<!\p{L})(?:${oneOf(NAMES)}|${oneOf(CODES)}|US)(?!\p{L})`, 'iu');
/** `US` and `in` are words, too: US only before a sign or as a word of its own in capitals. */
const PLAIN_US = /(?<!\p{L})us(?!\p{L})/iu;
const SCALE =
  /['’]000s?\b|\b000s\b|(?:\b(?:in|of|php|pesos?) |₱ ?)(?:thousand|million|hundred)s?\b|\b(?:thousand|million)s of\b|^\W*(?:thousand|million)s?\W*$/i;
const NAMED_CODE = /\b(?:currency|curr|ccy|amounts? in|prices in|denominated in)\b\W*([A-Z]{3})\b/;

/** True for text with money of another currency: `$5`, `USD`, `US Dollars`. */
export const isForeignMoney = (text: string): boolean =>
  FOREIGN.test(text.replace(PLAIN_US, (us) => (us === 'US' ? us : '')));

/** True for a title or header with another currency: `All amounts in US Dollars`, `Currency: NOK`. */
export const namesForeignMoney = (text: string): boolean => {
  const [, code] = NAMED_CODE.exec(text) ?? [];
  return (
    isForeignMoney(text) || (code !== undefined && code !== 'PHP' && Intl.supportedValuesOf('currency').includes(code))
  );
};

/** True for a title or header with another scale than pesos: `(in thousands of pesos)`, `₱'000`. */
export const namesScale = (text: string): boolean => SCALE.test(text);

/** True for a cell that names pesos: `PHP`, `₱`, `Philippine Peso`. */
export const isPesoWord = (cell: string): boolean =>
  /^(?:₱|php|p|pesos?|piso|philippines?|filipino)+$/.test(cell.toLowerCase().replace(/[^\p{L}₱]/gu, ''));
