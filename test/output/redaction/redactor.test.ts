// No way of printing reveals a secret, except customer links and --reveal.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {render} from '../../../src/output/render.js';
import {clientSecrets, keys, lookFor, webhookSecrets} from './leaks.js';
import {PLACES, PRINTS} from './places.js';
import {program} from '../../support/output/built-jq.js';
import {one, PLAIN, terminal} from '../../support/output/recorded-terminal.js';
import {walkThrough} from './walk.js';
import {runs} from '../../support/test-size.js';

const SEED = 20261231;
const COUNT = runs(200);

test(`of ${COUNT} secrets no piece is in anything that is printed (seed ${SEED}; test/soak has more)`, async () => {
  console.log(await walkThrough(COUNT, SEED));
});

describe('--reveal', () => {
  const revealed = () => {
    const shown = terminal({env: PLAIN, tty: false});
    shown.io.settings.reveal = true;
    return shown;
  };

  test('shows client secrets and webhook secrets on stdout, in every form', async () => {
    const row = {
      id: 'wh_1',
      secret_key: 'whsk_abcdefgh12345',
      client_secret: 'odd, and no form',
      note: 'pi_1_secret_Abcdefgh1',
    };
    for (const rendering of [
      {format: 'json'},
      {format: 'csv'},
      {format: 'table'},
      {jq: await program('.')},
      {},
    ] as const) {
      const {io, out} = revealed();
      const columns = Object.keys(row).map((path) => ({path, header: path, kind: 'text' as const}));
      await render({...one(row, columns), all: columns}, rendering, io);
      for (const value of Object.values(row)) expect(out(), JSON.stringify(rendering)).toContain(value);
    }
  });

  test('hides them on stderr', () => {
    const {io, err} = revealed();
    io.note('whsk_abcdefgh12345 pi_1_secret_Abcdefgh1 "client_secret":"odd"');
    expect(err()).toBe('whsk_[redacted] pi_1_secret_[redacted] "client_secret":"[redacted]"\n');
  });

  test(`never shows a key or Authorization (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keys, {minLength: 10, maxLength: 10}), async (secrets) => {
        const look = lookFor(secrets);
        for (const [name, print] of Object.entries(PRINTS)) {
          const {io, out, err} = revealed();
          await print(
            io,
            secrets.map(({text}) => text),
          );
          expect(look(out() + err()).leak, name).toBeUndefined();
        }
      }),
      {seed: SEED, numRuns: 3, endOnFailure: true},
    );
  });
});

describe('a customer link', () => {
  const link = 'https://bill.example/b/test_bstm_A1b2_secret_0123456789abcdefABCDEF';
  const other = 'http://127.0.0.1:4010/c/cs_A1b2_secret_0123456789abcdefABCDEF';

  test('is complete on stdout and redacted on stderr', async () => {
    for (const url of [link, other]) {
      const {io, out, err} = terminal({tty: false});
      await render(one({id: 'bstm_1', url}, [{path: 'url', header: 'url', kind: 'text'}]), {fields: ['url']}, io);
      await io.out(`${JSON.stringify({url})} ${JSON.stringify(JSON.stringify({url}))} (${url})\n`);
      io.note(url);
      expect(out().split(url)).toHaveLength(5);
      expect(err()).toBe(`${url.replace(/_secret_.*/, '_secret_[redacted]')}\n`);
    }
  });

  test.each([
    ['in a query', (secret: string) => `https://shop.example/back?secret=${secret}`],
    ['in a fragment', (secret: string) => `https://shop.example/back#${secret}`],
    ['as the user', (secret: string) => `https://${secret}@shop.example/`],
    ['as the host', (secret: string) => `https://${secret}`],
    ['behind a link', (secret: string) => `https://shop.example/a ${secret}`],
    ['in a link that is a parameter', (secret: string) => `https://shop.example/?next=https%3A%2F%2Fx%2F${secret}`],
    ['in something like a link', (secret: string) => `ftp://shop.example/${secret}`],
  ])('does not make a client secret one %s', (_, place) => {
    fc.assert(
      fc.property(clientSecrets, (secret) => {
        const printed = terminal().io.redact(place(secret.text));
        expect(lookFor([secret])(printed).leak).toBeUndefined();
      }),
      {seed: SEED, numRuns: 100},
    );
  });
});

describe('a registered secret', () => {
  test.each(PLACES)('is removed %s', (_, place) => {
    const {io} = terminal();
    io.addSecret('correct horse "battery" $^*staple');
    expect(io.redact(place('correct horse "battery" $^*staple'))).not.toMatch(/horse|battery|staple/);
  });

  test('is removed as a whole even if it contains a secret prefix', () => {
    const {io} = terminal();
    io.addSecret('whsk_one two three four');
    expect(io.redact('x whsk_one two three four y')).toBe('x whsk_[redacted] y');
  });

  test('is never a short or blank text, or the redaction mark', async () => {
    const {io, out} = terminal({env: PLAIN});
    for (const text of ['', '     ', '        ', 'open', '12345', 'redacted', '[redac']) io.addSecret(text);
    io.addSecret(undefined);
    await io.out('open          12345 [redacted]');
    expect(out()).toBe('open          12345 [redacted]');
  });

  test('includes the keys in the environment from the start', async () => {
    const env = {CENTAVO_SECRET_KEY: 'no key at all', CENTAVO_WEBHOOK_SECRET: 'nor a webhook’s'};
    const {io, out} = terminal({env: {...PLAIN, ...env}});
    await io.out('no key at all, nor a webhook’s');
    io.settings.reveal = true;
    await io.out('; no key at all, nor a webhook’s');
    expect(out()).toBe('[redacted], [redacted]; [redacted], nor a webhook’s');
  });

  test('is printed only where requested', async () => {
    fc.assert(
      fc.property(keys, webhookSecrets, (key, {text}) => {
        const {io, err} = terminal();
        io.addSecret(text, 'webhook secret');
        io.note(`Secret: ${text} of ${key.text}`, {showing: [text]});
        expect(err()).toBe(`Secret: ${text} of ${key.text.slice(0, 8)}[redacted]\n`);
      }),
      {seed: SEED, numRuns: 50},
    );
  });
});
