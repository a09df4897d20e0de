import { hash } from 'node:crypto';
import { stableJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import type { ToolSchema } from '../model/provider.ts';
import type { Credential, Runtime, RuntimeChain } from '../model/runtime.ts';
import type { CacheKeys } from './cache-keys.ts';

export interface SignatureParts {
  readonly chain: RuntimeChain;
  /** The toolsets that are chosen; their order says nothing. */
  readonly toolsets: readonly string[];
  /** The tools in them, as the model is told of them. */
  readonly tools: readonly ToolSchema[];
  /** What the settings add to the system prompt. */
  readonly ephemeralPrompt: string;
  /** The trusted folders around the working folder. What their files say is no part of it, and neither are other files. */
  readonly trustedFolders?: readonly string[];
  /** Settings that are baked into an agent. None, an empty set and null are the same. */
  readonly cacheKeys?: CacheKeys | null;
}

/**
 * A digest of everything that decides what an agent sends. Equal signatures mean that the agent can serve on. How hard to
 * think is told with each message and the client is made from the runtime, so neither is part of it.
 */
export function signConfig(parts: SignatureParts): string {
  const { chain, toolsets, tools, ephemeralPrompt, trustedFolders, cacheKeys } = parts;
  const signed = {
    runtimes: chain.map(signRuntime),
    toolsets: toolsets.toSorted(),
    // Parameters are sent in the order in which they are written, so that here the order counts.
    tools: Object.fromEntries(tools.map((tool) => [tool.name, [tool.description, JSON.stringify(tool.parameters)]])),
    ephemeralPrompt,
    trustedFolders: trustedFolders?.toSorted() ?? [],
    cacheKeys: cacheKeys ?? {},
  };
  return hash('sha256', stableJson(signed));
}

function signRuntime({ vendor, model, baseUrl, apiMode, credential, window, cacheLife }: Runtime): Json {
  return { vendor, model, baseUrl, apiMode, credential: signCredential(credential), window: window ?? null, cacheLife };
}

/** The whole credential counts, since tokens often share a prefix; a digest keeps it from being read back. */
function signCredential(credential: Credential): string {
  switch (credential.type) {
    case 'none':
      return 'none';
    case 'key':
      return hash('sha256', credential.reveal());
    // What it prints changes by the hour, and means the same account.
    case 'printed':
      return hash('sha256', `printed by ${credential.key.command}`);
  }
}
