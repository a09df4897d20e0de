import type { ToolSchema } from '../model/provider.ts';
import type { FrozenPrompt } from '../model/session.ts';
import { digestPrompt, promptText } from '../turn/asked-prefixes.ts';

/** A prompt that takes the place of an earlier one, with a note of what is different in it. Pure. */
export function succeed(earlier: FrozenPrompt | undefined, prompt: FrozenPrompt): FrozenPrompt {
  if (earlier === undefined) return prompt;
  const [before, after] = [promptText(earlier), promptText(prompt)];
  // Other settings, the same bytes: what the earlier one was different in may still be news to the server.
  if (before === after) return earlier.replaced === undefined ? prompt : { ...prompt, replaced: earlier.replaced };
  const byte = Buffer.byteLength(after.slice(0, firstDifference(before, after)));
  return { ...prompt, replaced: { detail: describeDifference(earlier, prompt), byte, digest: digestPrompt(earlier) } };
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return index;
}

function describeDifference(earlier: FrozenPrompt, prompt: FrozenPrompt): string {
  const before = byName(earlier.tools);
  const after = byName(prompt.tools);
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, text]) => (before.get(name) ?? text) !== text).map(([name]) => name);
  const changes = [
    { names: added, verb: 'added' },
    { names: removed, verb: 'removed' },
    { names: changed, verb: 'changed' },
  ].filter(({ names }) => names.length > 0);
  if (changes.length === 0) return 'the system prompt changed';
  return `the tool list changed: ${changes.map(({ names, verb }) => `${names.join(', ')} ${verb}`).join('; ')}`;
}

function byName(tools: readonly ToolSchema[]): ReadonlyMap<string, string> {
  return new Map(tools.map((tool) => [tool.name, JSON.stringify(tool)]));
}
