import { partGap } from '../model/prompt.ts';
import type { PromptPartName } from '../model/prompt.ts';
import type { ToolSchema } from '../model/provider.ts';
import type { FrozenPrompt } from '../model/session.ts';
import { digestPrompt, promptText } from '../turn/asked-prefixes.ts';

const mostNames = 8;

/** When a session's prompt is made anew: never for the sake of what changed in it. */
export type Occasion = 'settings' | 'compaction';

/** A prompt that takes the place of an earlier one, with a note of what is different in it. Pure. */
export function succeed(earlier: FrozenPrompt | undefined, prompt: FrozenPrompt, occasion: Occasion): FrozenPrompt {
  if (earlier === undefined) return prompt;
  const [before, after] = [promptText(earlier), promptText(prompt)];
  // Other settings, the same bytes: what the earlier one was different in may still be news to the server.
  if (before === after) return earlier.replaced === undefined ? prompt : { ...prompt, replaced: earlier.replaced };
  const byte = Buffer.byteLength(after.slice(0, firstDifference(before, after)));
  const detail = describeDifference(earlier, prompt, occasion);
  return { ...prompt, replaced: { detail, byte, digest: digestPrompt(earlier) } };
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return index;
}

function describeDifference(earlier: FrozenPrompt, prompt: FrozenPrompt, occasion: Occasion): string {
  const parts = changedParts(earlier, prompt).map((name) => `${partTexts[name]} changed`);
  const tools = describeTools(earlier, prompt);
  if (parts.length === 0) return tools ?? 'the system prompt changed';
  return `${[...parts, ...(tools === undefined ? [] : [tools])].join(', ')} (${occasionTexts[occasion]})`;
}

const partTexts: Readonly<Record<PromptPartName, string>> = {
  identity: 'identity',
  rules: 'the rules of the program',
  skills: 'skills',
  platform: 'platform hints',
  place: 'the working place',
  context: 'context files',
  memory: 'memory',
  added: 'agent.system_prompt',
};

const occasionTexts: Readonly<Record<Occasion, string>> = {
  settings: 'read anew after a change of settings or trust',
  compaction: 'read anew when the conversation was shortened',
};

/** In the order in which they stand in the prompt. None where nobody noted the parts of the earlier one. */
function changedParts(earlier: FrozenPrompt, prompt: FrozenPrompt): readonly PromptPartName[] {
  if (earlier.parts === undefined) return [];
  const [before, after] = [textsOf(earlier), textsOf(prompt)];
  const names = new Set([...after.keys(), ...before.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

function textsOf({ system, parts = [] }: FrozenPrompt): ReadonlyMap<PromptPartName, string> {
  let start = 0;
  return new Map(
    parts.map(({ name, characters }) => {
      const text = system.slice(start, start + characters);
      start += characters + partGap.length;
      return [name, text];
    }),
  );
}

function describeTools(earlier: FrozenPrompt, prompt: FrozenPrompt): string | undefined {
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
  if (changes.length === 0) return undefined;
  return `the tool list changed: ${changes.map(({ names, verb }) => `${listNames(names)} ${verb}`).join('; ')}`;
}

/** A server brings dozens at once; the first few say which it is. */
function listNames(names: readonly string[]): string {
  const more = names.length - mostNames;
  return more > 1 ? `${names.slice(0, mostNames).join(', ')} and ${more} others` : names.join(', ');
}

function byName(tools: readonly ToolSchema[]): ReadonlyMap<string, string> {
  return new Map(tools.map((tool) => [tool.name, JSON.stringify(tool)]));
}
