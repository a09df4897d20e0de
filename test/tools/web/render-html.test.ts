import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderHtml } from '../../../src/tools/web/render-html.ts';
import { wordsOf } from '../../../src/tools/web/words-of.ts';

test('nobody else is asked for what a page leaves to its scripts', async (t) => {
  const asked = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('asked')));
  const empty = '<html><head><title>A post</title></head><body></body></html>';

  for (const url of ['https://x.com/someone/status/1', 'https://www.youtube.com/watch?v=abc', 'https://a.example/'])
    await renderHtml(empty, url);

  assert.equal(asked.mock.callCount(), 0);
});

test('pictures that are part of the page itself are left out, but for their words', async () => {
  const image = `<img alt="a heron" src="data:image/jpeg;base64,${'A'.repeat(5000)}" width="400" height="300">`;
  const body = `<article><p>Before.</p><p>${image}</p><p>${'More of it. '.repeat(40)}</p></article>`;

  const page = await renderHtml(`<html><body>${body}</body></html>`, 'https://a.example/');

  assert.ok(page.type === 'text');
  assert.match(page.text, /^Before\.\n\n\[a heron\]\n\nMore of it\./);
});

const pages: readonly (readonly [html: string, words: string])[] = [
  ['<p>one<p>two', 'one\ntwo'],
  ['a &lt; b &amp;&#38; c&#x27;s 3 < 4', "a < b && c's 3 < 4"],
  ['<b>bo</b>ld <a href=">">link</a>', 'bold ">link'],
  ['<script>if (a < b) x</script>after', 'after'],
  ['<SCRIPT>never closed', ''],
  ['<!-- hidden --><!doctype html>shown<?php x ?>', 'shown'],
  ['<!-- never closed', ''],
  ['&#0; &#x110000; &unknown;', '&#0; &#x110000; &unknown;'],
  ['<style>p {}</style><head><title>t</title></head>body', 'body'],
];

for (const [html, words] of pages) {
  test(`the words of ${html} are ${JSON.stringify(words)}`, () => {
    assert.equal(wordsOf(html), words);
  });
}
