// Line items, from one text each or from a CSV file as spreadsheets save them.

import {describe, expect, test} from 'vitest';
import {CentavoError, errorLines} from '../../src/errors.js';
import {parseItem, parseItemsCsv, parseQuantity} from '../../src/input/items.js';

const item = (text: string) => parseItem(text, '--item');

test.each([
  ['Web design x2 @ 15,000', 'Web design', 2, 1_500_000],
  ['Web design × 2 @ 15,000', 'Web design', 2, 1_500_000],
  ['Web design X2 @ ₱15,000.50', 'Web design', 2, 1_500_050],
  ['Web design ×2@15000', 'Web design', 2, 1_500_000],
  ['Hosting @ 500', 'Hosting', 1, 50_000],
  ['  Hosting   @ PHP 500  ', 'Hosting', 1, 50_000],
  ['Mailbox a@shop.example x3 @ 99.50', 'Mailbox a@shop.example', 3, 9950],
  ['Dinner @ Luneta @ 1,250.50', 'Dinner @ Luneta', 1, 125_050],
  ['iPhone xR @ 20,000', 'iPhone xR', 1, 2_000_000],
  ['Type x @ 20', 'Type x', 1, 2000],
  ['Lumber 2x4 x10 @ 120', 'Lumber 2x4', 10, 12_000],
  ['Box x2 x3 @ 5', 'Box x2', 3, 500],
  ['2x Pens @ 12.50', 'Pens', 2, 1250],
  ['2 × Pens @ 12.50', 'Pens', 2, 1250],
  ['2x4 lumber @ 120', '2x4 lumber', 1, 12_000],
  ['2x Pens x1 @ 5', '2x Pens', 1, 500],
  ['Pens @ P75', 'Pens', 1, 7500],
  ['Pens x3 @ Php 75.50', 'Pens', 3, 7550],
  ['Pens @ 75 pesos', 'Pens', 1, 7500],
  ['Pens x2 @ ₱75 each', 'Pens', 2, 7500],
  ['Pens ₱75', 'Pens', 1, 7500],
  ['Pens x2 ₱1,075.25', 'Pens', 2, 107_525],
  ['2x Pens 75 pesos', 'Pens', 2, 7500],
  ['Pens 75 php each', 'Pens', 1, 7500],
  ['Ñandú 😀 "quoted" x1 @ 20', 'Ñandú 😀 "quoted"', 1, 2000],
  ['Web\tdesign x2 @ 20', 'Web\tdesign', 2, 2000],
  ['Web\ndesign x2 @ 20', 'Web\ndesign', 2, 2000],
  ['Sticker @ 0.01', 'Sticker', 1, 1],
])('%j is %j, %i of them at %i centavos', (text, label, quantity, unitPrice) => {
  expect(item(text)).toEqual({text: label, quantity, unitPrice});
});

test.each([
  ['Web design', 'invalid_item', 'no @ before its price'],
  ['', 'invalid_item', 'no @'],
  ['@ 500', 'invalid_item', 'no description'],
  ['x2 @ 100', 'invalid_item', 'no description'],
  ['×2 @ 100', 'invalid_item', 'no description'],
  ['₱75', 'invalid_item', 'no @'],
  ['Hosting 6500', 'invalid_item', '"Hosting @ 6500"'],
  ['Pens P75', 'invalid_item', '"Pens @ 75"'],
  ['Web design @', 'invalid_amount', 'price'],
  ['Web design @ soon', 'invalid_amount', 'price'],
  ['Web design @ -5', 'invalid_amount', 'negative'],
  ['Pens @ 0', 'invalid_price', 'has a price of zero'],
  ['Pens x3 @ ₱0.00', 'invalid_price', '"Pens x3 @ ₱0.00"'],
  ['Web design x0 @ 5', 'invalid_quantity', '"0"'],
  ['Web design x-1 @ 5', 'invalid_quantity', '"-1"'],
  ['Web design x1.5 @ 5', 'invalid_quantity', '"1.5"'],
  ['Web design x1e2 @ 5', 'invalid_quantity', '"1e2"'],
  ['Web design x9007199254740993 @ 5', 'invalid_quantity', ''],
  ['Web design x1000000001 @ 5', 'invalid_quantity', ''],
])('%j is refused: %s', (text, code, words) => {
  let error: CentavoError | undefined;
  try {
    item(text);
  } catch (thrown) {
    error = thrown as CentavoError;
  }
  expect(error).toMatchObject({kind: 'usage', code});
  expect(errorLines(error!).join(' ')).toContain(words);
});

test.each(['0', '-1', '1.5', '1e2', '01', ' 1', '', 'two', '9007199254740993', '１'])('%j is no quantity', (text) => {
  expect(() => parseQuantity(text, '--quantity')).toThrow(expect.objectContaining({code: 'invalid_quantity'}));
});

test('an item of a hundred thousand characters is read in no time', () => {
  for (const text of [
    `${'a '.repeat(50_000)}@ 5`,
    `${' x1'.repeat(33_000)} @ 5`,
    `a${' '.repeat(100_000)}x @ 5`,
    '@'.repeat(100_000),
  ]) {
    const started = performance.now();
    try {
      item(text);
    } catch {}
    expect(performance.now() - started).toBeLessThan(500);
  }
});

describe('a CSV file', () => {
  const read = (source: string) => parseItemsCsv(source, 'items.csv');
  const WEB = {text: 'Web design', quantity: 2, unitPrice: 1_500_000};
  const HOST = {text: 'Hosting', quantity: 1, unitPrice: 50_000};

  async function refusal(source: string): Promise<{error: CentavoError; words: string}> {
    const error = (await read(source).catch((thrown: unknown) => thrown)) as CentavoError;
    expect(error).toBeInstanceOf(CentavoError);
    expect(error.kind).toBe('usage');
    return {error, words: errorLines(error).join(' ')};
  }

  const TWO = ['description,quantity,unit_price', 'Web design,2,"15,000"', 'Hosting,,500'];

  test.each([
    ['lines that end in LF', `${TWO.join('\n')}\n`],
    ['lines that end in CRLF', `${TWO.join('\r\n')}\r\n`],
    ['no end of the last line', TWO.join('\n')],
    ['a byte order mark', `\uFEFF${TWO.join('\r\n')}`],
    ['blank lines', `\n${TWO.join('\n\n')}\n\n`],
    [
      'spaces around the names and values',
      TWO.map((line) => ` ${line.replaceAll(',', ' , ').replace(' , 000', ',000')} `)
        .join('\n')
        .replace(' "', '"')
        .replace('" ', '"'),
    ],
    ['names in capitals', `Description,QUANTITY,Unit_Price\n${TWO.slice(1).join('\n')}`],
    ['columns in another order', 'unit_price,description,quantity\n"₱15,000.00",Web design,2\n500,Hosting,1'],
    ['prices in centavos', 'description,quantity,unit_price_centavos\nWeb design,2,1500000\nHosting,1,50000'],
    [
      'either price in either row',
      'description,quantity,unit_price,unit_price_centavos\nWeb design,2,,1500000\nHosting,1,500,',
    ],
    ['no quantities where each is one', 'description,unit_price\nWeb design,"15,000"\nHosting,500'],
  ])('is read with %s', async (_, source) => {
    const items = await read(source);
    expect(items.map(({text, unitPrice}) => [text, unitPrice])).toEqual(
      [WEB, HOST].map(({text, unitPrice}) => [text, unitPrice]),
    );
    if (source.toLowerCase().includes('quantity')) expect(items).toEqual([WEB, HOST]);
  });

  test.each(['Pens,1,0', 'Pens,1,₱0.00', 'Pens,2,"0.0"'])(
    'refuses a price of zero, naming its line: %s',
    async (row) => {
      const {error, words} = await refusal(`${TWO.join('\n')}\n${row}\n`);
      expect(error.code).toBe('invalid_price');
      expect(words).toContain('items.csv, line 4 has a price of zero.');
    },
  );

  test('keeps quotes, commas and line breaks inside quotes', async () => {
    const [only] = await read('description,unit_price\n"5"" pipe, blue\nand long","1,250.50"\n');
    expect(only).toEqual({text: '5" pipe, blue\nand long', quantity: 1, unitPrice: 125_050});
  });

  test('keeps __proto__ as a description and refuses it as a column', async () => {
    expect((await read('description,unit_price\n__proto__,20'))[0]!.text).toBe('__proto__');
    expect((await refusal('description,unit_price,__proto__\na,20,x')).words).toContain('__proto__');
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
  });

  test.each([
    ['nothing', '', 'no rows'],
    ['names only', 'description,quantity,unit_price\n', 'no rows'],
    ['an unknown column', 'description,price\na,20', '"price"'],
    ['no description', 'quantity,unit_price\n1,20', 'no column description'],
    ['no price', 'description,quantity\na,1', 'no column unit_price'],
    ['a column twice', 'description,unit_price,unit_price\na,20,30', 'two columns "unit_price"'],
    ['a short row', 'description,quantity,unit_price\na,1,20\nb,1', 'line 3'],
    ['a long row', 'description,quantity,unit_price\na,1,20\nb,1,20,30', 'line 3'],
    ['a quote that does not end', 'description,unit_price\n"a,20\nb,30', 'line'],
    ['semicolons', 'description;unit_price\na;20', 'description;unit_price'],
    ['both prices in a row', 'description,unit_price,unit_price_centavos\na,20,2000', 'both'],
    ['a price that a spreadsheet mangled', 'description,unit_price\na,1.2E+03', 'cannot have an exponent'],
    ['an empty description', 'description,unit_price\n,20', 'description is empty'],
    ['an empty price', 'description,unit_price\na,', 'unit_price'],
    ['a bad quantity', 'description,quantity,unit_price\na,two,20', '"two"'],
    ['centavos with a point', 'description,unit_price_centavos\na,20.5', 'whole number of centavos'],
  ])('is refused for %s', async (_, source, words) => {
    expect((await refusal(source)).words).toContain(words);
  });

  test.each([
    ['the third line', 'description,unit_price\na,20\nb,x', 3],
    ['a line after a blank one', 'description,unit_price\na,20\n\nb,x', 4],
    ['a line of CRLF lines', 'description,unit_price\r\na,20\r\nb,x\r\n', 3],
    ['a line after one that goes on', 'description,unit_price\n"a\na",20\nb,x', 4],
  ])('a fault in %s names that line', async (_, source, line) => {
    expect((await refusal(source)).words).toContain(`items.csv, line ${line}, unit_price "x"`);
  });
});

test('how a price is written is said without the words that name it', () => {
  expect(() => item('Pens @ soon')).toThrow(
    expect.objectContaining({details: expect.objectContaining({hint: 'For example: 1,250.50'})}),
  );
});
