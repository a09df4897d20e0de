import { hash } from 'node:crypto';
import { stableJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import type { ToolSchema } from '../model/provider.ts';
import type { Credential, RuntimeChain } from '../model/runtime.ts';

export interface SignatureParts {
  readonly chain: RuntimeChain;
  readonly tools: readonly ToolSchema[];
  readonly toolGeneration: number;
}

/** A digest of everything that decides what an agent sends. Equal signatures mean that the agent can serve on. */
export function signConfig({ chain, tools, toolGeneration }: SignatureParts): string {
  const runtimes = chain.map(({ vendor, model, baseUrl, apiMode, credential }) => ({
    vendor,
    model,
    baseUrl,
    apiMode,
    credential: signCredential(credential),
  }));
  const names = tools.map((tool) => [tool.name, tool.description, tool.parameters] as Json);
  return hash('sha256', stableJson({ runtimes, tools: names, toolGeneration }));
}

/** The whole credential counts, since tokens often share a prefix; a digest keeps it from being read back. */
function signCredential(credential: Credential): string {
  return credential.type === 'none' ? 'none' : hash('sha256', credential.reveal());
}
