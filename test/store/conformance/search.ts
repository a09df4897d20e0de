import assert from 'node:assert/strict';
import type { StoreHouse } from '../../support/store-house.ts';
import { admit, admitted, answered, inChat, newTurn, settled, steered, toolSaid } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

async function houseWith(open: () => Promise<StoreHouse>, texts: readonly string[]): Promise<StoreHouse> {
  const house = await open();
  const session = await house.store.sessions.at(inChat('one'));
  for (const text of texts) await admit(house.store, session, text);
  return house;
}

async function snippets(house: StoreHouse, query: string, limit = 10): Promise<readonly string[]> {
  return (await house.store.search.find(query, limit)).map(({ snippet }) => snippet);
}

export const searchPromises: Promises = {
  'what was said is found with its author, its place and its match marked': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = newTurn(session);
    const entries = [
      admitted('a walnut tree'),
      toolSaid('walnut.txt'),
      steered('more Walnut'),
      answered('Eat a walnut'),
    ];
    await house.store.turns.append(turn, [...entries, settled('walnut')]);

    const hits = await house.store.search.find('walnut', 10);

    const inOrder = hits.toSorted((left, right) => left.seq - right.seq);
    const at = house.clock.now();
    assert.deepEqual(inOrder, [
      { ...turn, seq: 1, at, author: 'user', snippet: 'a «walnut» tree' },
      { ...turn, seq: 2, at, author: 'tool', snippet: '«walnut».txt' },
      { ...turn, seq: 3, at, author: 'user', snippet: 'more «Walnut»' },
      { ...turn, seq: 4, at, author: 'assistant', snippet: 'Eat a «walnut»' },
    ]);
  },

  'all words must be there, in any order and without regard to case or accents': async ({ open }) => {
    await using house = await houseWith(open, ['the red CAFÉ by the sea', 'the red house', 'sea']);

    assert.deepEqual(await snippets(house, 'sea cafe'), ['the red «CAFÉ» by the «sea»']);
    assert.deepEqual((await snippets(house, 'RED')).length, 2);
    assert.deepEqual(await snippets(house, 'red green'), []);
  },

  'where no text has the words, the query is found inside of words': async ({ open }) => {
    await using house = await houseWith(open, ['see /var/log/nginx-error.log', 'nothing']);

    assert.deepEqual(await snippets(house, 'inx-err'), ['see /var/log/ng«inx-err»or.log']);
  },

  'scripts without spaces are found, by one character or many': async ({ open }) => {
    await using house = await houseWith(open, ['明日は東京都へ行きます', 'こんにちは']);

    assert.deepEqual(await snippets(house, '東京都'), ['明日は«東京都»へ行きます']);
    assert.deepEqual(await snippets(house, '東京'), ['明日は«東京»都へ行きます']);
    assert.deepEqual(await snippets(house, '京'), ['明日は東«京»都へ行きます']);
  },

  'nothing that a person can type is an error': async ({ open }) => {
    await using house = await houseWith(open, ['100% "quoted" AND (nested) a_b c\\d']);
    const typed = [
      '"',
      '""',
      "'",
      'a"b',
      '*',
      '-',
      '--',
      '^',
      ':',
      'text:',
      'NOT',
      'AND',
      'OR OR',
      'NEAR(',
      '(',
      ')',
      '{a}',
      'a*',
      '+',
      '\\',
      '%',
      '_',
      '%%%',
      '\0',
      'a\0b',
      '',
      '   ',
      '...',
      '😀',
      '\ud83d',
      '; DROP TABLE texts',
      'x'.repeat(5000),
    ];

    for (const query of typed) await assert.doesNotReject(house.store.search.find(query, 5), query);

    assert.deepEqual(await snippets(house, '%'), ['100«%» "quoted" AND (nested) a_b c\\d']);
    assert.deepEqual(await snippets(house, '0%'), ['10«0%» "quoted" AND (nested) a_b c\\d']);
    assert.deepEqual(await snippets(house, ' '), []);
  },

  'no more is found than was asked for, and the text that fits best comes first': async ({ open }) => {
    await using house = await houseWith(open, [`oak ${'filler '.repeat(200)}`, 'oak', `oak ${'filler '.repeat(100)}`]);

    assert.deepEqual(await snippets(house, 'oak', 1), ['«oak»']);
    assert.equal((await snippets(house, 'oak', 2)).length, 2);
    assert.deepEqual(await snippets(house, 'oak', 0), []);
  },

  'of what a tool printed the beginning can be found': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const output = `beginning ${'x '.repeat(50_000)} ending`;

    await house.store.turns.append(newTurn(session), [toolSaid(output)]);

    assert.equal((await snippets(house, 'beginning')).length, 1);
    assert.deepEqual(await snippets(house, 'ending'), []);
  },

  'of what was said the first fifty thousand characters can be found, and all of it is kept': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const said = `beginning ${'x '.repeat(50_000)} ending`;

    await house.store.turns.append(newTurn(session), [admitted(said), steered(said), answered(said)]);

    const kept = await house.store.turns.after(session.id, 0);
    assert.equal((await snippets(house, 'beginning')).length, 3);
    assert.deepEqual(await snippets(house, 'ending'), []);
    assert.deepEqual(
      kept.map(({ entry }) => entry),
      [admitted(said), steered(said), answered(said)],
    );
  },

  'what was said last on a platform is told newest first, without what is deleted': async ({ open }) => {
    await using house = await open();
    const one = await house.store.sessions.at(inChat('one', 'terminal'));
    const gone = await house.store.sessions.at(inChat('gone', 'terminal'));
    const elsewhere = await house.store.sessions.at(inChat('one', 'elsewhere'));
    const turn = await admit(house.store, one, 'first');
    await house.store.turns.append(turn, [toolSaid('printed'), answered('written'), steered('second')]);
    await admit(house.store, gone, 'secret');
    await admit(house.store, elsewhere, 'from elsewhere');
    await admit(house.store, one, 'third');

    const all = await house.store.search.lastSaid('terminal', 9);
    await house.store.sessions.delete(gone.id);

    assert.deepEqual(all, ['third', 'secret', 'second', 'first']);
    assert.deepEqual(await house.store.search.lastSaid('terminal', 2), ['third', 'second']);
  },

  'what a failed or undone write contained is not found': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');

    const results = await Promise.allSettled([
      house.store.turns.append(turn, [steered('granite')]),
      house.store.transaction(async (tx) => {
        await tx.turns.append(turn, [steered('marble')]);
        throw new Error('no');
      }),
      house.store.turns.append(turn, [steered('basalt')]),
    ]);

    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await snippets(house, 'marble'), []);
    assert.deepEqual(await snippets(house, 'arbl'), []);
    assert.deepEqual(
      [await snippets(house, 'granite'), await snippets(house, 'basalt')],
      [['«granite»'], ['«basalt»']],
    );
  },
};
