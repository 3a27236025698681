// Images of items on the checkout page, and the policy that lets a browser load them.

import {expect, test} from 'vitest';
import {imageOrigin} from '../../../src/sandbox/pages/item-image.js';
import {GOOD_CARD, visitor} from './visitor.js';

const IMAGES = [
  'https://cdn.shop.example/a.png?x="><img>',
  'https://cdn.shop.example/b.png',
  'http://localhost:8080/c.png',
  'http://old.example/d.png',
  undefined,
];
const line_items = IMAGES.map((image, index) => ({name: `Item "${index}"`, amount: 5000, quantity: 1, image}));

test('an item has the default image and names its host', async () => {
  const v = await visitor();
  const {path} = await v.checkout({line_items});
  const {html, words, headers} = await v.visit(path);
  expect(html).not.toContain('<img');
  expect(html.match(/<svg class="pic"/g)).toHaveLength(IMAGES.length);
  expect(words.match(/Image from [^\s]+/g)).toEqual([
    ...['Image from cdn.shop.example', 'Image from cdn.shop.example'],
    ...['Image from localhost:8080', 'Image from old.example'],
  ]);
  expect(headers['content-security-policy']).toContain('; img-src data:; ');
});

test('with --images, the page loads the images of its own items alone', async () => {
  const v = await visitor({images: true});
  const {path} = await v.checkout({line_items});
  const other = await v.checkout();
  for (const seen of [await v.visit(path), await v.send(path, {method: ''}), await paid()]) {
    const images = [...seen.html.matchAll(/<img\s[^>]*>/g)].map(([tag]) => tag.replace(/\s+/g, ' '));
    expect(images).toHaveLength(3);
    expect(images[0]).toBe(
      '<img class="pic" src="https://cdn.shop.example/a.png?x=%22%3E%3Cimg%3E" alt="Image of Item &quot;0&quot;" ' +
        'width="40" height="40" loading="lazy" referrerpolicy="no-referrer" />',
    );
    expect(seen.words.match(/Image from [^\s]+/g)).toEqual(['Image from old.example']);
    expect(seen.headers['content-security-policy']).toContain(
      '; img-src data: https://cdn.shop.example http://localhost:8080; form-action',
    );
  }
  expect((await v.visit(other.path)).headers['content-security-policy']).toContain('; img-src data:; ');

  async function paid() {
    await v.send(path, GOOD_CARD);
    return v.visit(path);
  }
});

test.each([
  'https://*.example/a.png',
  "https://a.example;script-src/'x",
  'https://a_b.example/a.png',
  'https://[::1]/a.png',
  'https://10.0.0.1/a.png',
  'https://a.example./a.png',
  'http://127.0.0.2/a.png',
  'data:image/png,a',
  'not an address',
  null,
])('a policy does not name the host of %s', (address) => {
  expect(imageOrigin(address)).toBeUndefined();
});
