import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLeft } from '../../../src/cli/chat/describe-left.ts';
import { UnsaidLines } from '../../../src/cli/chat/unsaid-lines.ts';

const cutOff = { wayBack: 'talaria -r k3v9q2', leftTurns: 'go-on', gateway: 'gone' } as const;

test('a line that a gateway was given and did not answer before it went is told apart from one that was never sent', () => {
  const unsaid = new UnsaidLines();
  const [first, second] = [{ type: 'line', text: 'buy milk' } as const, { type: 'line', text: 'and bread' } as const];
  unsaid.add(first);
  unsaid.add(second);
  unsaid.handOver(first, 'to-someone');

  const doubtful = describeLeft({ ...cutOff, turn: 'open', unsaid });
  unsaid.settle(first);
  unsaid.handOver(second, 'to-nobody-yet');
  const unsent = describeLeft({ ...cutOff, turn: 'open', unsaid });

  assert.deepEqual(doubtful, [
    'The gateway went before it said whether it took this in; talaria -r k3v9q2 shows it if so: buy milk',
    'Not sent: and bread',
  ]);
  assert.deepEqual(unsent, [
    'Not sent: and bread',
    'This turn is unfinished. It goes on when the gateway is started again.',
  ]);
});
