import type { FrozenPrompt, Session } from '../model/session.ts';
import { Agent } from './agent.ts';
import type { AgentParts } from './agent.ts';
import { buildSystemPrompt, describeTools } from './prompt.ts';
import { succeed } from './succeed-prompt.ts';
import { signConfig } from './signature.ts';

/** Makes a session ready. With an unchanged signature it speaks with the very bytes that the session was frozen with. */
export async function buildAgent(session: Session, parts: AgentParts): Promise<Agent> {
  return new Agent(session, await freezePrompt(session, parts), parts);
}

async function freezePrompt(session: Session, parts: AgentParts): Promise<FrozenPrompt> {
  const { store, toolbox, chain } = parts;
  const tools = describeTools(toolbox.tools);
  const signature = signConfig({ chain, tools, toolGeneration: toolbox.generation });
  if (session.prompt?.signature === signature) return session.prompt;
  const prompt = succeed(session.prompt, { signature, system: buildSystemPrompt(session, process.platform), tools });
  await store.sessions.freeze(session.id, prompt);
  return prompt;
}
