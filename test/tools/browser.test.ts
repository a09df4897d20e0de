import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { judgeImage } from '../../src/model/image.ts';
import { noBrowser } from '../support/browser.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openBrowserBench, refOf, shareBrowser } from './browser-bench.ts';

const browser = await shareBrowser();
test.after(() => browser[Symbol.asyncDispose]());

const form = `<title>Sign up</title><h1>Sign up</h1>
<form action="/thanks"><input name="who" aria-label="Name"><select name="size" aria-label="Size"><option>S<option>L</select>
<button>Send</button></form><a href="/second">Next</a>`;

const pages = {
  '/': form,
  '/second': '<title>Second</title><p>the second page</p>',
  '/thanks': '<title>Thanks</title><p>thank you</p>',
};

test(
  'BRW-02 opening a page returns its title, its address and its elements with refs, marked as foreign',
  { skip: noBrowser },
  async () => {
    await using here = await browser.visit(pages);

    const seen = await here.use('open', { url: here.site.url() });

    assert.match(seen, /<foreign-text sign="\w+" from="http:\/\/127\.0\.0\.1:\d+\/">/);
    assert.match(seen, /title: Sign up/);
    assert.match(seen, /textbox "Name" \[ref=e\d+\]/);
    assert.match(seen, /link "Next" \[ref=e\d+\]/);
  },
);

test('BRW-03 a click follows a link, by its ref with or without @, and back returns', { skip: noBrowser }, async () => {
  await using here = await browser.visit(pages);
  const first = await here.use('open', { url: here.site.url() });

  const second = await here.use('click', { ref: `@${refOf(first, 'link "Next"')}` });
  const again = await here.use('back');

  assert.match(second, /the second page/);
  assert.match(again, /title: Sign up/);
});

test('text is typed, a choice is chosen, and a line end sends the form', { skip: noBrowser }, async () => {
  await using here = await browser.visit(pages);
  const seen = await here.use('open', { url: here.site.url() });

  const chosen = await here.use('type', { ref: refOf(seen, 'combobox "Size"'), text: 'L' });
  const sent = await here.use('type', { ref: refOf(seen, 'textbox "Name"'), text: 'Ann\n' });

  assert.match(chosen, /^\[typed into e\d+\]$/);
  assert.match(sent, /thank you/);
  assert.equal(here.site.asked.at(-1)?.path, '/thanks?who=Ann&size=L');
});

test('a key is pressed where the page expects it', { skip: noBrowser }, async () => {
  await using here = await browser.visit({
    '/': '<title>Keys</title><p id="out">none</p><script>onkeydown = (e) => { out.textContent = "pressed " + e.key }</script>',
  });
  await here.use('open', { url: here.site.url() });

  const seen = await here.use('press', { text: 'Escape' });

  assert.match(seen, /pressed Escape/);
});

test('scrolling moves the page and says where it is', { skip: noBrowser }, async () => {
  await using here = await browser.visit({ '/': '<div style="height:3000px">tall</div>' });
  await here.use('open', { url: here.site.url() });

  const down = await here.use('scroll', { text: 'down' });
  const sideways = await here.use('scroll', { text: 'left' });

  assert.match(down, /^\[scrolled down, to \d+ of \d+ pixels\]$/);
  assert.match(sideways, /^ERROR: scroll takes the text "up" or "down"$/);
});

test('a screenshot is a picture for the model and a file for the chat', { skip: noBrowser }, async () => {
  await using here = await browser.visit(pages);
  await here.use('open', { url: here.site.url() });

  const outcome = await here.outcome('screenshot');

  assert.equal(outcome.type, 'done');
  const picture = outcome.type === 'done' ? outcome.parts.find((part) => part.type === 'image') : undefined;
  assert.ok(picture?.type === 'image' && picture.path !== undefined);
  const kept = Buffer.from(here.blobs.get(picture.blob) ?? '', 'base64');
  assert.deepEqual(judgeImage({ bytes: kept }), { type: 'image', mediaType: 'image/png' });
  assert.ok(picture.path.startsWith(here.home));
});

test('elements in a frame have refs, too, and can be clicked', { skip: noBrowser }, async () => {
  await using here = await browser.visit({
    '/': '<iframe src="/frame"></iframe>',
    '/frame': '<button onclick="this.textContent = `pressed`">Press</button>',
  });
  const seen = await here.use('open', { url: here.site.url() });

  const after = await here.use('click', { ref: refOf(seen, 'button "Press"') });

  assert.match(after, /button "pressed"/);
});

test('a page that opens another brings it to the front, and tab goes back', { skip: noBrowser }, async () => {
  await using here = await browser.visit({
    '/': '<title>One</title><a href="/second" target="_blank">Open</a>',
    '/second': pages['/second'],
  });
  const seen = await here.use('open', { url: here.site.url() });
  let after = await here.use('click', { ref: refOf(seen, 'link "Open"') });
  while (!after.includes('title: Second')) after = await here.use('snapshot');

  const back = await here.use('tab', { number: 1 });
  const closed = await here.use('close');
  const missing = await here.use('tab', { number: 7 });

  assert.match(after, /\[tab 2 of 2\]/);
  assert.match(back, /\[tab 1 of 2\][\s\S]*title: One/);
  assert.match(closed, /title: Second/);
  assert.match(missing, /ERROR: tab takes the number of a tab: 1: http/);
});

test('a dialog is dismissed and told', { skip: noBrowser }, async () => {
  await using here = await browser.visit({
    '/': '<button onclick="this.textContent = confirm(`Sure?`)">Ask</button>',
  });
  const seen = await here.use('open', { url: here.site.url() });

  const after = await here.use('click', { ref: refOf(seen, 'button "Ask"') });

  assert.match(after, /showed a dialog \(confirm\), which was dismissed: Sure\?/);
  assert.match(after, /button "false"/);
});

test('a download is not taken, and its address is told', { skip: noBrowser }, async () => {
  await using here = await browser.visit({
    '/': '<a href="/file" download>Get</a>',
    '/file': (_asked, answer) => {
      answer.writeHead(200, { 'content-disposition': 'attachment; filename="big.bin"' }).end('x'.repeat(1000));
    },
  });
  await here.use('open', { url: here.site.url() });

  const seen = await here.use('open', { url: here.site.url('/file') });

  assert.match(seen, /offered a download, which was not taken: big\.bin from http:\/\/127/);
});

test('BRW-04 a long page is cut at a line end, and the rest is paged through', { skip: noBrowser }, async () => {
  const items = Array.from({ length: 900 }, (_, place) => `<li>item number ${place}</li>`).join('');
  await using here = await browser.visit({ '/': `<ul>${items}</ul>` });

  const first = await here.use('open', { url: here.site.url() });
  const [, next = ''] = /more lines: snapshot with number (\d+)\]/.exec(first) ?? [];
  const second = await here.use('snapshot', { number: Number(next) });

  assert.ok(first.length < 13_000, `${first.length} characters`);
  const last = Number(/item number (\d+)\n<\/foreign/.exec(first)?.[1]);
  assert.match(second, new RegExp(`item number ${last + 1}\n`));
});

test('a ref that is gone, and an address that nobody answers at, are said so', { skip: noBrowser }, async () => {
  await using here = await browser.visit(pages);
  await here.use('open', { url: here.site.url() });

  const gone = await here.use('click', { ref: 'e999' });
  const unheard = await here.use('open', { url: 'https://no-such-host.invalid/' });

  assert.equal(gone, 'ERROR: there is no e999 on the page now: take a snapshot');
  assert.match(unheard, /^ERROR: net::ERR_/);
});

test(
  'what a server answers in the place of a page is told with its status, wherever it came from',
  { skip: noBrowser },
  async () => {
    await using here = await browser.visit({
      '/': '<a href="/closed">go on</a><img src="/gone.png"><iframe src="/gone"></iframe>',
      '/closed': (_asked, answer) => answer.writeHead(403, { 'content-type': 'text/html' }).end('<p>Welcome'),
    });

    const fine = await here.use('open', { url: here.site.url() });
    const closed = await here.use('click', { ref: refOf(fine, 'go on') });

    assert.doesNotMatch(fine, /answered/);
    assert.match(closed, /\nhttp:\/\/127\.0\.0\.1:\d+\/closed answered 403 \(Forbidden\)\n.*Welcome/);
  },
);

test('a browser that may not be started is none', { skip: noBrowser }, async () => {
  await using folder = await makeTempFolder();
  const executable = join(folder.path, 'chromium');
  await writeFile(executable, '#!/bin/sh\n', { mode: 0o644 });
  await using here = await openBrowserBench(pages, { browser: { executable } });

  const said = await here.use('open', { url: 'https://example.com/' });

  assert.ok(said.startsWith(`ERROR: there is no ${executable}; the user can install one with: `), said);
});

test('without a browser the model is told the command that installs one', { skip: noBrowser }, async () => {
  await using here = await openBrowserBench(pages, { browser: { executable: '/missing/chromium' } });

  const said = await here.use('open', { url: 'https://example.com/' });

  assert.match(said, /^ERROR: there is no \/missing\/chromium; the user can install one with: \S+ .*chromium$/);
});
