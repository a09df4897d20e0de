import type { RuntimeChain } from '../model/runtime.ts';
import type { Session } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';
import type { Tool } from '../model/tool.ts';
import type { AgentParts } from './agent.ts';
import { buildAgent } from './build-agent.ts';
import type { Wish } from './build-agent.ts';
import type { AgentPlan } from './cache-entry.ts';
import { extractCacheKeys } from './cache-keys.ts';
import { describeTools } from './prompt.ts';
import { selectTools } from './select-tools.ts';
import type { SelectedTools } from './select-tools.ts';
import { signConfig } from './signature.ts';
import { bridgeTools } from './tool-bridge.ts';

/** All that a signature is made from. None of it ever changes in place: what is the same object says the same. */
interface Circumstances {
  readonly chain: RuntimeChain;
  readonly settings: SettingsState;
  readonly platform: string;
  readonly generation: number;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly projectGeneration: number | undefined;
  readonly projectTools: ReadonlyMap<string, Tool> | undefined;
  readonly trustedFolders: readonly string[];
}

type Signed = Pick<Wish, 'signature' | 'selected'>;

interface Known extends Signed {
  readonly circumstances: Circumstances;
}

// Chats of every platform, each with a few choices of models.
const mostKnown = 16;

/**
 * Plans agents. Every message has its session planned anew, and nearly always nothing has changed: a signature is made
 * once for the same circumstances, in whatever session.
 */
export class AgentPlanner {
  readonly #parts: AgentParts;
  readonly #known: Known[] = [];

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** What it takes to make a session ready as things are now: its signature at once, the agent when it is asked for. */
  async plan(session: Session): Promise<AgentPlan> {
    const parts = this.#parts;
    const chain = await parts.models.chainFor(session.settings);
    const circumstances = findCircumstances(session, chain, parts);
    const { signature, selected } = this.#find(circumstances) ?? (await this.#sign(circumstances));
    const wish: Wish = { signature, selected, chain, settings: circumstances.settings };
    return { signature, build: (evict) => buildAgent(session, wish, parts, afterFallback(session, evict)) };
  }

  #find(circumstances: Circumstances): Signed | undefined {
    return this.#known.find((known) => isSame(known.circumstances, circumstances));
  }

  async #sign(circumstances: Circumstances): Promise<Signed> {
    const { chain, settings, generation, projectGeneration, trustedFolders } = circumstances;
    const chosen = chooseTools(circumstances);
    const hasServers = [...chosen.tools.values()].some(({ server }) => server !== undefined);
    // The window is looked up only where there is something to find on demand.
    const selected = hasServers ? await this.#bridge(chosen, circumstances) : chosen;
    const signature = signConfig({
      chain,
      toolsets: selected.toolsets,
      tools: describeTools(selected.tools),
      ephemeralPrompt: settings.config.agent.ephemeralPrompt,
      trustedFolders,
      cacheKeys: extractCacheKeys(settings.user, generation, projectGeneration),
    });
    // A window from the catalogue may be another one next time.
    if (!hasServers || chain[0].window !== undefined) this.#remember({ circumstances, signature, selected });
    return { signature, selected };
  }

  async #bridge(chosen: SelectedTools, { chain: [primary], settings }: Circumstances): Promise<SelectedTools> {
    const window = primary.window ?? (await this.#parts.catalogue.window(primary.name));
    return bridgeTools(chosen, settings.config.toolSearch, window);
  }

  #remember(known: Known): void {
    this.#known.unshift(known);
    this.#known.length = Math.min(this.#known.length, mostKnown);
  }
}

function findCircumstances(session: Session, chain: RuntimeChain, parts: AgentParts): Circumstances {
  const project = parts.projectTools?.(session.workdir);
  return {
    chain,
    settings: parts.settings.current,
    platform: session.address.platform,
    generation: parts.toolbox.generation,
    tools: parts.toolbox.tools,
    projectGeneration: project?.generation,
    projectTools: project?.tools,
    trustedFolders: parts.sources.trustedAround(session.workdir),
  };
}

function isSame(left: Circumstances, right: Circumstances): boolean {
  return (
    left.chain === right.chain &&
    left.settings === right.settings &&
    left.platform === right.platform &&
    left.generation === right.generation &&
    left.tools === right.tools &&
    left.projectGeneration === right.projectGeneration &&
    left.projectTools === right.projectTools &&
    left.trustedFolders.length === right.trustedFolders.length &&
    left.trustedFolders.every((folder, place) => folder === right.trustedFolders[place])
  );
}

function chooseTools({ settings, platform, tools, projectTools }: Circumstances): SelectedTools {
  // What a project calls as the home does is the home's.
  const known = projectTools === undefined ? tools : new Map([...projectTools, ...tools]);
  const enabled = settings.config.platformToolsets[platform];
  return selectTools(known, { enabled, disabled: settings.config.agent.disabledToolsets });
}

/**
 * The next message gets an agent that knows nothing of the runtime that failed. A terminal keeps its one agent for as long
 * as it is open; that one goes back to its primary by itself.
 */
function afterFallback({ address }: Session, evict: () => void): () => void {
  return address.platform === 'terminal' ? () => undefined : evict;
}
