import type { RuntimeChain } from '../model/runtime.ts';
import type { FrozenPrompt, Session } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';
import { promptText } from '../turn/asked-prefixes.ts';
import { Agent } from './agent.ts';
import type { AgentParts } from './agent.ts';
import { composePrompt, describeTools } from './prompt.ts';
import type { SelectedTools } from './select-tools.ts';
import { succeed } from './succeed-prompt.ts';

/** Everything that was decided when the signature was made, so that nothing of it can change before the agent is built. */
export interface Wish {
  readonly signature: string;
  readonly chain: RuntimeChain;
  readonly settings: SettingsState;
  readonly selected: SelectedTools;
}

export async function buildAgent(
  session: Session,
  wish: Wish,
  parts: AgentParts,
  onFallback: () => void,
): Promise<Agent> {
  const prompt = await freezePrompt(session, wish, parts);
  const { chain, selected, settings } = wish;
  const remakePrompt = async (earlier: FrozenPrompt): Promise<FrozenPrompt> => {
    // It may have moved to another place since the agent was built.
    const current = (await parts.store.sessions.get(session.id)) ?? session;
    return await refreshPrompt(earlier, current, wish, parts);
  };
  const { tools } = selected;
  return new Agent({ session, prompt, remakePrompt, chain, tools, config: settings.config, onFallback }, parts);
}

/** With an unchanged signature a session speaks with the very bytes that it was frozen with. */
async function freezePrompt(session: Session, wish: Wish, parts: AgentParts): Promise<FrozenPrompt> {
  const earlier = await parts.store.sessions.frozenPrompt(session.id);
  if (earlier?.signature === wish.signature) return earlier;
  const prompt = succeed(earlier, await makePrompt(session, wish, parts), 'settings');
  await parts.store.sessions.freeze(session.id, prompt);
  return prompt;
}

/** With what is written in the files now; the very same prompt where that makes no difference. The tools are of the signature. */
async function refreshPrompt(
  earlier: FrozenPrompt,
  session: Session,
  wish: Wish,
  parts: AgentParts,
): Promise<FrozenPrompt> {
  const prompt = { ...(await makePrompt(session, wish, parts)), tools: earlier.tools };
  return promptText(prompt) === promptText(earlier) ? earlier : succeed(earlier, prompt, 'compaction');
}

async function makePrompt(
  session: Session,
  { signature, settings, selected }: Wish,
  { sources }: AgentParts,
): Promise<FrozenPrompt> {
  const written = await sources.read(session.workdir);
  // Who cannot read files is told of nothing that has to be read.
  const material = selected.tools.has('read_file') ? written : { ...written, skills: [], projectSkills: undefined };
  const added = settings.config.agent.ephemeralPrompt;
  const composed = composePrompt({ session, system: process.platform, material, added });
  return { signature, ...composed, tools: describeTools(selected.tools) };
}
