// Invalid input: found before anything is sent, with the value and the next step, exit 2.

import {describe} from 'vitest';
import {refuses, usage, type Refusal} from '../../support/scenarios/refusals.js';

const LONG = '9'.repeat(10_000);

const amount = (text: string, ...mention: (RegExp | string)[]): Refusal =>
  usage(['payment-intents', 'create', '--payment-methods', 'card', `--amount=${text}`], '--amount', ...mention);

describe('amounts', () => {
  refuses([
    amount('19.99', '19.99', 'minimum', '₱20.00'),
    amount('60,000,000', '60,000,000', 'maximum', '₱59,999,999.99'),
    amount('1e3', '1e3', 'exponent'),
    amount('1.250,50', '1.250,50', '1250.50'),
    amount('1250,50', '1250,50', '1250.50'),
    amount('₱', '₱', 'not an amount'),
    amount('-5', '-5', 'negative'),
    amount('−120', 'negative'),
    amount('120.505', 'two decimals'),
    amount('1,20.50', '1,20.50'),
    amount('$120', 'Only pesos'),
    amount('１２０', 'U+FF11'),
    amount('0x10', '0x10'),
    amount('NaN', 'NaN'),
    amount('00120', '00120'),
    amount('', 'not an amount'),
    amount(LONG, '(10000 characters)'),
    usage(['payment-intents', 'create', '--amount', '-5'], '--amount'),
    usage(
      ['payment-intents', 'create', '--amount', '100', '--amount-centavos', '10000'],
      '--amount',
      '--amount-centavos',
    ),
    usage(['payment-intents', 'create', '--amount-centavos', '100.50'], '--amount-centavos', '100.50', 'whole number'),
    usage(['payment-intents', 'create', '--amount-centavos', '1999'], '1999', 'minimum'),
    usage(['payment-intents', 'capture', 'pi_5kT1', '--amount', '1e3'], 'exponent'),
  ]);
});

const due = (text: string, ...mention: (RegExp | string)[]): Refusal =>
  usage(['billing-statements', 'update', 'bstm_7Hq2', `--due=${text}`], '--due', ...mention);

const sent = (at: string, ...mention: string[]): Refusal =>
  usage(['billing-statements', 'update', 'bstm_7Hq2', '--data', `due_at=${at}`], 'due_at', at, ...mention);

describe('dates', () => {
  refuses([
    due('2026-02-30', '2026-02-30', '28 days'),
    due('2026-13-01', 'That month does not exist'),
    due('2027-02-29', '28 days'),
    due('someday', 'someday', '+30d'),
    due('11/12/2026', '2026-11-12', '2026-12-11'),
    due('2026-12-31T23:59', 'zone', '+08:00'),
    due('2026-12-31T24:00:00Z', 'time of day'),
    due('2026-12-31T23:59:00+25:00', '+25:00'),
    due('1766135410000', 'milliseconds', '1766135410'),
    due('0', 'before 2001'),
    due('-1', '-1'),
    due('٢٠٢٦-١٢-١٥', 'not a date'),
    due('', 'not a date'),
    sent('-5', 'before 1970', 'current time'),
    sent('1764547199000', 'milliseconds; in seconds it is 1764547199 (2025-11-30 23:59 UTC)'),
    usage(['api', 'PUT', '/billing_statements/bstm_7Hq2', '-d', 'due_at=1764547199000'], 'due_at', 'milliseconds'),
    usage(['billing-statements', 'update', 'bstm_7Hq2', '-d', 'due_at=-5', '--dry-run'], 'due_at', 'before 1970'),
  ]);
});

const id = (text: string, ...mention: (RegExp | string)[]): Refusal => usage(['customers', 'get', text], ...mention);

describe('ids', () => {
  refuses([
    id('..', '".."', 'cus_'),
    id('../webhooks', '../webhooks', 'cus_'),
    id('%2e%2e', '%2e%2e'),
    id('cus_x?y', 'cus_x?y'),
    id('cus_1/..', 'cus_1/..'),
    id('cus_1#x', 'cus_1#x'),
    id('cus_1%00', 'cus_1%00'),
    id('cus_', '"cus_"'),
    id('CUS_abc', 'CUS_abc'),
    id('', 'cus_'),
    id('cus_😀', 'cus_'),
    id('cus_a\u001B]0;pwned\u0007', 'cus_'),
    id('cus_a\u202Eb', 'cus_'),
    id(`cus_${'a'.repeat(300)}`, 'cus_', '(304 characters)'),
    id('bstm_7Hq2', 'bstm_7Hq2', 'billing statement', 'customer'),
    id('https://dashboard.example/customers/cus_2mQ8', 'Did you mean cus_2mQ8?'),
    {...id('sk_test_2mQ87Hq24Rt8', 'secret'), secret: '2mQ87Hq24Rt8'},
    {...id('pi_5kT1_secret_7Hq24Rt8', 'secret'), secret: '7Hq24Rt8'},
    usage(['billing-statements', 'get', 'bstm_li_4Rt8'], 'billing statement line item'),
    usage(['billing-statements', 'void', 'bstm_7Hq2', '..'], '".."'),
    usage(['customers', 'delete-payment-method', 'cus_2mQ8', '../x'], 'payment method'),
    usage(['customers', 'list', '--after', 'bstm_7Hq2'], 'bstm_7Hq2', 'cus_'),
    usage(['payment-intents', 'capture', 'pi_5kT1', 'pi_6mN2', '--amount', '100'], 'unexpected argument', 'pi_6mN2'),
    usage(['get', 'not_an_id'], 'not_an_id'),
    usage(['get', '../customers'], '../customers'),
    {...usage(['customers', 'get', '-'], '../webhooks'), stdin: 'cus_2mQ8\n../webhooks\n'},
    {...usage(['customers', 'get', '-'], 'no id'), stdin: '{"id":"cus_2mQ8"}\n{"name":"x"}\n'},
  ]);
});

describe('flags and commands', () => {
  refuses([
    usage(['customers', 'list', '--limt', '3'], '--limt', 'Did you mean --limit?'),
    usage(['customers', 'list', '-x'], '-x'),
    usage(['customers', 'lst'], 'customers lst', 'centavo customers list'),
    usage(['custmers', 'list'], 'custmers', 'centavo customers list'),
    usage(['custmers'], 'custmers', 'customers'),
    usage(['billing-statement', 'delete', 'bstm_7Hq2'], 'billing-statements delete'),
    usage(['sandbox', 'rest', '--yes'], 'sandbox reset'),
    usage(['xyzzy'], 'xyzzy', 'centavo help'),
    usage(['help', 'xyzzy'], 'xyzzy'),
    usage(['customers', 'list', 'extra'], 'extra', 'centavo customers list'),
    usage(['customers', 'list', '--limit', '0'], '"0"', '--all'),
    usage(['customers', 'list', '--limit=-5'], '-5'),
    usage(['customers', 'list', '--limit', '1.5'], '1.5'),
    usage(['customers', 'list', '--limit', 'abc'], 'abc'),
    usage(['customers', 'list', '--limit'], '--limit'),
    usage(['customers', 'list', '--all', '--limit', '5'], '--all', '--limit'),
    usage(['customers', 'list', '--before', 'cus_2mQ8', '--after', 'cus_3nR9'], '--before', '--after'),
    usage(['billing-statements', 'list', '--status', 'opne'], 'opne', 'Did you mean --status open?'),
    usage(['customers', 'list', '-o', 'xml'], 'xml', 'json'),
    usage(['customers', 'list', '--json', '-o', 'csv'], '--json', '--output'),
    usage(['customers', 'list', '-q', '-v'], '--quiet', '--verbose'),
    usage(['customers', 'list', '-o', 'curl'], '--dry-run'),
    usage(['customers', 'list', '--timeout', 'soon'], 'soon', '30s'),
    usage(['webhooks', 'listen', '--count', '1', '--timeout', '30d'], '30d', '24d'),
  ]);
});

describe('jq programs are read before anything is sent', () => {
  refuses([
    usage(['customers', 'list', '--jq', 'nonsense('], '--jq'),
    usage(['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--jq', '.data['], '--jq'),
  ]);
});

describe('values', () => {
  const intent = ['payment-intents', 'create', '--amount', '100'];
  refuses([
    usage(['customers', 'create'], '--name', '--email', 'are missing'),
    usage(['customers', 'create', '--name', 'A'], '--email is missing'),
    usage(['customers', 'create', '--name', 'A', '--no-input'], '--email is missing'),
    usage(['customers', 'create', '--name', ' ', '--email', 'a@b.co'], '--name is empty'),
    usage(['customers', 'create', '--name', 'A', '--email', 'nobody'], 'nobody', 'email address'),
    usage(['customers', 'create', '--name', 'A', '--email', 'a@b.co\nBcc: x@y.z'], 'email address'),
    usage(['customers', 'get'], 'id of a customer', 'cus_'),
    usage(['billing-statements', 'void'], 'id of a billing statement', 'bstm_'),
    usage([...intent, '--capture-type', 'Manual'], 'Manual', 'Did you mean --capture-type manual?'),
    usage([...intent, '--payment-methods', 'card,gcsh'], 'gcsh', 'gcash'),
    usage([...intent, '--payment-methods', ','], '--payment-methods', 'empty'),
    usage([...intent, '--statement-descriptor', 'A'.repeat(23)], '23', '22'),
    usage(['customers', 'update', 'cus_2mQ8', '--country', 'ph'], '--country', 'ph'),
    usage(['webhooks', 'create', '--events', 'a.b', '--url', 'javascript:alert(1)'], 'javascript', 'https'),
    usage(['webhooks', 'create', '--events', 'a.b', '--url', '//host'], '//host'),
    usage(['customers', 'update', 'cus_2mQ8', '--metadata', 'unit'], 'unit', 'key=value'),
    usage(['customers', 'update', 'cus_2mQ8', '--metadata', '=4B'], '=4B'),
    usage(['customers', 'update', 'cus_2mQ8', '--metadata', 'a=1', '--metadata', 'a=2'], 'twice'),
    usage(['customers', 'update', 'cus_2mQ8', '--metadata', 'a[b]=1'], 'brackets'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '{"name": '], '--data', 'not JSON'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '[1]'], '--data', 'object'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', 'name'], '--data', 'key=value'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '@{dir}/broken.json'], 'broken.json', 'not JSON'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '@{dir}/list.json'], 'list.json', 'must be a JSON object'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '@{dir}/none.json'], 'none.json', 'cannot be read'),
    usage(['customers', 'update', 'cus_2mQ8', '--data', '@{dir}'], 'cannot be read'),
    {...usage(['customers', 'update', 'cus_2mQ8', '--data', '-'], 'not JSON'), stdin: 'name=A'},
    {...usage(['customers', 'update', 'cus_2mQ8', '--data', '-'], 'not JSON'), stdin: ''},
    usage(['checkout-sessions', 'create', '--item', 'T-shirt'], 'T-shirt', '@'),
    usage(['checkout-sessions', 'create', '--item', 'T-shirt x0 @ 450'], 'quantity'),
    usage(['api', 'PATCH', '/customers'], 'PATCH'),
    usage(['api', 'GET'], 'path'),
    usage(['api', 'GET', '//evil.example/customers'], '//evil.example'),
    usage(['api', 'GET', '/customers/../webhooks'], 'path'),
    usage(['api', 'GET', '/customers?limit=1'], '-d key=value'),
    usage(['api', 'POST', 'https://evil.example/customers'], 'https://evil.example'),
    usage(['api', 'POST', '/billing_statements%2Fbstm_7Hq2%2fvoid'], 'path'),
    usage(['api', 'POST', '/pag-ibig-ñ'], 'path'),
    usage(['api', 'POST', ''], 'path'),
  ]);
});
