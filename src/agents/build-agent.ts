import type { RuntimeChain } from '../model/runtime.ts';
import type { FrozenPrompt, Session } from '../model/session.ts';
import type { AgentPlan } from './agent-cache.ts';
import { Agent } from './agent.ts';
import type { AgentParts } from './agent.ts';
import { buildSystemPrompt, describeTools } from './prompt.ts';
import { succeed } from './succeed-prompt.ts';
import { signConfig } from './signature.ts';

/** What it takes to make a session ready as things are now: its signature at once, the agent when it is asked for. */
export async function planAgent(session: Session, parts: AgentParts): Promise<AgentPlan> {
  const chain = await parts.models.chainFor(session.settings);
  const { tools, generation } = parts.toolbox;
  const signature = signConfig({ chain, tools: describeTools(tools), toolGeneration: generation });
  return { signature, build: () => buildAgent(session, { signature, chain }, parts) };
}

interface Wish {
  readonly signature: string;
  readonly chain: RuntimeChain;
}

async function buildAgent(session: Session, { signature, chain }: Wish, parts: AgentParts): Promise<Agent> {
  return new Agent(session, await freezePrompt(session, signature, parts), chain, parts);
}

/** With an unchanged signature a session speaks with the very bytes that it was frozen with. */
async function freezePrompt(session: Session, signature: string, parts: AgentParts): Promise<FrozenPrompt> {
  const { store, toolbox } = parts;
  if (session.prompt?.signature === signature) return session.prompt;
  const tools = describeTools(toolbox.tools);
  const prompt = succeed(session.prompt, { signature, system: buildSystemPrompt(session, process.platform), tools });
  await store.sessions.freeze(session.id, prompt);
  return prompt;
}
