import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CacheLife } from '../model/runtime.ts';

const mostMarkers = 4;

/**
 * Messages for a server that keeps nothing ready unless markers say up to where: one at the system prompt, before which
 * the tools stand, and the others at the newest messages that can bear one. Only a part of a list can, so that every
 * content becomes a list and stays one: what is marked now has the same bytes later, but for the marker. Pure.
 */
export function markMessages(messages: readonly JsonObject[], life: CacheLife): readonly JsonObject[] {
  const marker = life === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
  const marked = messages.map(listContent);
  const markable = marked.flatMap((message, place) => (isMarkable(message) ? [place] : []));
  const system = markable.filter((place) => marked[place]?.['role'] === 'system');
  const newest = markable.filter((place) => !system.includes(place)).slice(-(mostMarkers - system.length));
  for (const place of [...system, ...newest]) marked[place] = mark(marked[place] ?? {}, marker);
  return marked;
}

/** A text that is blank stays as it is: as a part of a list it is refused, and so is a marker at it. */
function listContent(message: JsonObject): JsonObject {
  const { content } = message;
  const isText = typeof content === 'string' && content.trim() !== '';
  return isText ? { ...message, content: [{ type: 'text', text: content }] } : message;
}

function isMarkable(message: JsonObject): boolean {
  return partsOf(message).some(bearsMarker);
}

function mark(message: JsonObject, marker: JsonObject): JsonObject {
  const parts = partsOf(message);
  const last = parts.findLastIndex(bearsMarker);
  const content = parts.map((part, place) => (place === last && isJsonObject(part) ? withMarker(part, marker) : part));
  return { ...message, content };
}

function withMarker(part: JsonObject, marker: JsonObject): JsonObject {
  return { ...part, cache_control: marker };
}

function partsOf({ content }: JsonObject): readonly Json[] {
  return Array.isArray(content) ? (content as readonly Json[]) : [];
}

/** Only texts do, by OpenRouter's documentation of prompt caching. */
function bearsMarker(part: Json): boolean {
  return isJsonObject(part) && typeof part['text'] === 'string' && part['text'].trim() !== '';
}
