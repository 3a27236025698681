// Redaction of objects before formatting.

import {describe, expect, test} from 'vitest';
import {terminal} from '../../support/output/recorded-terminal.js';

const {io} = terminal();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a value', () => {
  test('without secrets stays the same object', () => {
    const row = {id: 'cus_1', amount: 125_050, metadata: {a: 'b'}, none: null, list: [1, 'x', {deep: true}]};
    expect(io.hide(row)).toBe(row);
    const changed = io.hide({row, client_secret: 'x'});
    expect(changed.row).toBe(row);
  });

  test.each([
    ['client_secret', 'pi_1_secret_Abcdefgh1', 'pi_1_secret_[redacted]'],
    ['client_secret', 'of no form at all', '[redacted]'],
    ['clientSecret', 'x', '[redacted]'],
    ['secret_key', 'whsk_1', 'whsk_[redacted]'],
    ['secretKey', 'whsk_abcdefgh1', 'whsk_[redacted]'],
    ['secret_key', 1234, '[redacted]'],
    ['secret_key', ['a', {b: 'c'}], ['[redacted]', {b: '[redacted]'}]],
    ['secret_key', '', ''],
    ['secret_key', null, null],
    ['secret_key', false, false],
    ['authorization', 'Token abc', '[redacted]'],
    ['Authorization', 'Basic abc', 'Basic [redacted]'],
    ['note', 'the key sk_live_abcdefgh12', 'the key sk_live_[redacted]'],
    ['secret', 'is a word', 'is a word'],
    ['return_url', 'https://shop.ph/p/pi_1_secret_Abcdefgh1?a=b', 'https://shop.ph/p/pi_1_secret_[redacted]?a=b'],
    ['success_url', 'https://shop.ph/?client_secret=odd&a=b', 'https://shop.ph/?client_secret=[redacted]&a=b'],
    ['cancel_url', 'https://shop.ph/cart', 'https://shop.ph/cart'],
    ['url', 'https://pay.ph/c/cs_1_secret_Abcdefgh1', 'https://pay.ph/c/cs_1_secret_Abcdefgh1'],
  ])('under the name %s, %j is %j, however deep', (name, value, shown) => {
    expect(io.hide({[name]: value})).toEqual({[name]: shown});
    expect(io.hide([{a: {b: [{[name]: value}]}}])).toEqual([{a: {b: [{[name]: shown}]}}]);
  });

  test('is redacted in names too; __proto__ stays a name', () => {
    expect(io.hide({sk_test_abcdefgh12: 1})).toEqual({'sk_test_[redacted]': 1});
    const odd = io.hide(JSON.parse('{"__proto__": {"client_secret": "x"}}') as object);
    expect(JSON.stringify(odd)).toBe('{"__proto__":{"client_secret":"[redacted]"}}');
    expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
  });

  test('is redacted at any depth', () => {
    const deep = JSON.parse(
      `${'{"a":'.repeat(3000)}{"client_secret":"odd","b":"whsk_abcdefgh12"}${'}'.repeat(3000)}`,
    ) as object;
    expect(JSON.stringify(io.hide(deep))).toContain('{"client_secret":"[redacted]","b":"whsk_[redacted]"}');
  });

  test('is a header if it is a pair of name and value', () => {
    const headers = [
      ['Host', '127.0.0.1'],
      ['AUTHORIZATION', 'whatever it is'],
      ['Proxy-Authorization', 'Bearer abc'],
    ];
    expect(io.hide(headers)).toEqual([
      headers[0],
      ['AUTHORIZATION', '[redacted]'],
      ['Proxy-Authorization', 'Bearer [redacted]'],
    ]);
  });
});

describe('the body of a delivery in base64', () => {
  const link = 'https://bill.example/b/bstm_1_secret_0123456789abcdefghij';

  test('without secrets stays unchanged, byte for byte', () => {
    for (const bytes of [Buffer.from(`{ "url" : "${link}" }`), Buffer.from([0, 255, 128]), Buffer.from('no JSON')]) {
      const record = {body_base64: bytes.toString('base64')};
      expect(io.hide(record)).toBe(record);
      expect(io.redact(JSON.stringify(record))).toBe(JSON.stringify(record));
    }
  });

  test('with a secret is redacted and marked as changed', () => {
    const body = {id: 'evt_1', data: {client_secret: 'odd', description: 'Bayad, Niño ✓', url: link}};
    const shown = io.hide({id: 'dlv_1', body_base64: base64(JSON.stringify(body))});
    expect(shown).toEqual({id: 'dlv_1', body_base64: expect.any(String), body_redacted: true});
    expect(JSON.parse(Buffer.from(shown.body_base64, 'base64').toString('utf8'))).toEqual({
      ...body,
      data: {...body.data, client_secret: '[redacted]'},
    });
    // Nothing remains to be redacted on the way to stdout.
    expect(io.redact(JSON.stringify(shown))).toBe(JSON.stringify(shown));
  });

  test.each([
    ['no JSON', 'the secret is whsk_abcdefgh12'],
    ['no text', '\u00ff\u0000 whsk_abcdefgh12'],
    ['a name that is there twice', '{"client_secret":"whsk_abcdefgh12","client_secret":"x"}'],
    ['nested without end', `${'['.repeat(100_000)}"whsk_abcdefgh12"${']'.repeat(100_000)}`],
  ])('is searched if it is %s', (_, text) => {
    const {body_base64: shown} = io.hide({body_base64: Buffer.from(text, 'latin1').toString('base64')});
    expect(Buffer.from(shown, 'base64').toString('latin1')).not.toContain('abcdefgh12');
  });

  test('with --reveal stays unchanged, except for keys', () => {
    const revealing = terminal().io;
    revealing.settings.reveal = true;
    const record = {body_base64: base64('{"client_secret":"odd","secret_key":"whsk_abcdefgh12"}')};
    expect(revealing.hide(record)).toBe(record);
    const {body_base64: shown} = revealing.hide({body_base64: base64('{"key":"sk_live_abcdefgh12"}')});
    expect(Buffer.from(shown, 'base64').toString()).toBe('{"key":"sk_live_[redacted]"}');
  });
});
