import assert from 'node:assert/strict';
import { isJsonObject } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { judgeAnthropic } from './wire-judge-anthropic.ts';
import { judgeChat } from './wire-judge-chat.ts';
import type { WirePrefix } from './wire-judge-parts.ts';
import { judgeResponses } from './wire-judge-responses.ts';

const judges: Readonly<Record<ApiMode, (body: JsonObject) => WirePrefix>> = {
  chat_completions: judgeChat,
  anthropic_messages: judgeAnthropic,
  codex_responses: judgeResponses,
};

/** Asserts that a server of this protocol would take the request, and gives its prefix, cache markers left out. */
export function judgeRequest(apiMode: ApiMode, text: string): WirePrefix {
  assert.ok(text.isWellFormed(), 'the request is not well-formed Unicode');
  const body = JSON.parse(text) as Json;
  assert.ok(isJsonObject(body), 'the request is not a JSON object');
  // Written as the parsed value would be, the pieces below are the very bytes that were sent.
  assert.equal(JSON.stringify(body), text, 'the request is not plain JSON');
  assert.equal(body['stream'], true);
  assert.equal(typeof body['model'], 'string');
  return judges[apiMode](body);
}

/** Whether a request begins with all of an earlier one. */
export function isExtended(earlier: WirePrefix, later: WirePrefix): boolean {
  return earlier.head === later.head && earlier.items.every((item, place) => item === later.items[place]);
}
