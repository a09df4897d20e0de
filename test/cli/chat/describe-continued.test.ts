import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonId, SessionId } from '../../../src/base/ids.ts';
import { describeContinued } from '../../../src/cli/chat/describe-continued.ts';
import type { Session } from '../../../src/model/session.ts';

const session: Session = {
  id: 'ses_01m7h55aayj5r39s7z3g' as SessionId,
  address: { platform: 'terminal', account: 'local', chat: 'here', thread: '' },
  person: 'owner' as PersonId,
  title: 'the\nroses',
  workdir: '/home/ann/garden',
  createdAt: 0,
  activeAt: 0,
  settings: {},
};

test('a session that is continued is named, with its folder where that is another than the current one', () => {
  const untitled = { ...session, title: '' };

  assert.equal(describeContinued(session, '/home/ann/garden'), 'continuing the ⏎ roses (r39s7z3g)');
  assert.equal(describeContinued(session, '/home/ann'), 'continuing the ⏎ roses (r39s7z3g), in /home/ann/garden');
  assert.equal(describeContinued(untitled, undefined), 'continuing r39s7z3g, in /home/ann/garden');
});
