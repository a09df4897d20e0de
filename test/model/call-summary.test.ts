import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../src/base/ids.ts';
import { describeCall } from '../../src/cli/render/describe-call.ts';
import { shownArguments, tellingArgument } from '../../src/model/call-summary.ts';
import type { ToolCall } from '../../src/model/message.ts';
import { TurnTrace } from '../../src/web/turn-trace.ts';
import { answered, done, logOf, settledCall } from '../cli/support/log-entries.ts';

function browser(input: unknown): ToolCall {
  return { id: 'cal_1' as CallId, name: 'browser', arguments: JSON.stringify(input) };
}

const typing = browser({ action: 'type', ref: 'e5', text: 'hunter2' });
const masked = '{"action":"type","ref":"e5","text":"(7 characters)"}';

test('what is typed into a page is shown by its length, in the terminal and in the web chat', () => {
  const trace = new TurnTrace();
  const entries = [answered('', [typing]), settledCall(typing.id, done('[typed into e5]'))];
  const item = logOf(entries)
    .map((logged) => trace.take(logged))
    .at(-1);

  assert.equal(describeCall(typing), `browser  ${masked}`);
  assert.equal(item?.type === 'act' ? item.text : undefined, `✓ browser ${masked}`);
});

test('what is typed into a page is hidden in a call through the bridge, as a number, and where a call cannot be read', () => {
  const bridged = { name: 'browser', arguments: { action: 'type', ref: 'e5', text: 'hunter2' } };
  const cut = { ...typing, arguments: '{"action":"type","text":"hunt' };

  assert.equal(tellingArgument({ ...typing, name: 'tool_call', arguments: JSON.stringify(bridged) }), masked);
  assert.equal(shownArguments(browser({ action: 'type', text: 4711 })), '{"action":"type","text":"(4 characters)"}');
  assert.equal(shownArguments(cut), '(cannot be read)');
});

test('other acts in a browser, and other tools, are shown as they were written', () => {
  const press = browser({ action: 'press', text: 'Enter' });
  const named = { ...typing, name: 'notes' };

  assert.equal(shownArguments(press), press.arguments);
  assert.equal(tellingArgument(browser({ action: 'open', url: 'https://example.com/' })), 'https://example.com/');
  assert.equal(shownArguments(named), typing.arguments);
});
