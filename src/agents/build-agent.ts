import type { RuntimeChain } from '../model/runtime.ts';
import type { FrozenPrompt, Session } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';
import { promptText } from '../turn/asked-prefixes.ts';
import { Agent } from './agent.ts';
import type { AgentParts } from './agent.ts';
import type { AgentPlan } from './cache-entry.ts';
import { extractCacheKeys } from './cache-keys.ts';
import { composePrompt, describeTools } from './prompt.ts';
import { selectTools } from './select-tools.ts';
import type { SelectedTools } from './select-tools.ts';
import { signConfig } from './signature.ts';
import { succeed } from './succeed-prompt.ts';
import { bridgeTools } from './tool-bridge.ts';

/** What it takes to make a session ready as things are now: its signature at once, the agent when it is asked for. */
export async function planAgent(session: Session, parts: AgentParts): Promise<AgentPlan> {
  const chain = await parts.models.chainFor(session.settings);
  const settings = parts.settings.current;
  const { generation, tools } = parts.toolbox;
  const project = parts.projectTools?.(session.workdir);
  const { ephemeralPrompt, disabledToolsets } = settings.config.agent;
  const enabled = settings.config.platformToolsets[session.address.platform];
  // What a project calls as the home does is the home's.
  const known = project === undefined ? tools : new Map([...project.tools, ...tools]);
  const chosen = selectTools(known, { enabled, disabled: disabledToolsets });
  const selected = await bridge(chosen, chain, parts);
  const signature = signConfig({
    chain,
    toolsets: selected.toolsets,
    tools: describeTools(selected.tools),
    ephemeralPrompt,
    trustedFolders: parts.sources.trustedAround(session.workdir),
    cacheKeys: extractCacheKeys(settings.user, generation, project?.generation),
  });
  const wish: Wish = { signature, chain, settings, selected };
  return { signature, build: (evict) => buildAgent(session, wish, parts, afterFallback(session, evict)) };
}

/** The window is looked up only where there is something to find on demand. */
async function bridge(chosen: SelectedTools, [primary]: RuntimeChain, parts: AgentParts): Promise<SelectedTools> {
  if (![...chosen.tools.values()].some(({ server }) => server !== undefined)) return chosen;
  const window = primary.window ?? (await parts.catalogue.window(primary.name));
  return bridgeTools(chosen, parts.settings.current.config.toolSearch, window);
}

/**
 * The next message gets an agent that knows nothing of the runtime that failed. A terminal keeps its one agent for as long
 * as it is open; that one goes back to its primary by itself.
 */
function afterFallback({ address }: Session, evict: () => void): () => void {
  return address.platform === 'terminal' ? () => undefined : evict;
}

/** Everything that was decided when the signature was made, so that nothing of it can change before the agent is built. */
interface Wish {
  readonly signature: string;
  readonly chain: RuntimeChain;
  readonly settings: SettingsState;
  readonly selected: SelectedTools;
}

async function buildAgent(session: Session, wish: Wish, parts: AgentParts, onFallback: () => void): Promise<Agent> {
  const prompt = await freezePrompt(session, wish, parts);
  const { chain, selected, settings } = wish;
  const remakePrompt = (earlier: FrozenPrompt): Promise<FrozenPrompt> => refreshPrompt(earlier, session, wish, parts);
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
