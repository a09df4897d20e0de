import type { ApiMode, Runtime } from '../model/runtime.ts';
import { plainDialect } from './openai-chat-request.ts';
import type { ChatDialect } from './openai-chat-request.ts';

/** A vendor of models, or a server that people run themselves. */
export interface Vendor {
  readonly name: string;
  /** The variable that holds its key. Local servers need none; one that asks for a key is given it by `model.key_env`. */
  readonly envKey: string | undefined;
  readonly baseUrl: string;
  /** What is asked where the config names no model; undefined: the config must, or the server is asked what it has. */
  readonly defaultModel: string | undefined;
  readonly place: 'remote' | 'local';
  readonly route: Runtime['route'];
  readonly apiMode: ApiMode;
  /** What is spoken to whoever stands in for it at another address, where that is not the same. */
  readonly proxyMode?: ApiMode;
  readonly dialect: ChatDialect;
}

// Gemini refuses a past call without the signature of its thoughts. This value, from its documentation of thought
// signatures, stands in for that of a call that another model made.
const unsignedCall = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

/** The addresses, models and habits are those of each vendor's documentation; what it does not say is not assumed. */
export const remoteVendors: readonly Vendor[] = [
  {
    name: 'openai',
    envKey: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5.4',
    place: 'remote',
    route: 'direct',
    // Over chat completions its models forget between calls what they thought, and later ones take tools there only with
    // their reasoning turned off. Proxies and mirrors of it know chat completions for certain.
    apiMode: 'codex_responses',
    proxyMode: 'chat_completions',
    dialect: {
      ...plainDialect,
      limitField: 'max_completion_tokens',
      cacheKey: 'accepted',
      effort: 'reasoning_effort',
    },
  },
  {
    name: 'anthropic',
    envKey: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com/v1',
    defaultModel: 'claude-sonnet-5-5',
    place: 'remote',
    route: 'direct',
    apiMode: 'anthropic_messages',
    dialect: plainDialect,
  },
  {
    name: 'openrouter',
    envKey: 'OPENROUTER_API_KEY',
    baseUrl: 'https://openrouter.ai/api/v1',
    defaultModel: 'openrouter/auto',
    place: 'remote',
    route: 'aggregator',
    apiMode: 'chat_completions',
    dialect: { ...plainDialect, thoughts: 'details', markedModels: /^~?anthropic\//, effort: 'reasoning' },
  },
  {
    name: 'nous',
    envKey: 'NOUS_API_KEY',
    baseUrl: 'https://inference-api.nousresearch.com/v1',
    defaultModel: undefined,
    place: 'remote',
    route: 'aggregator',
    apiMode: 'chat_completions',
    dialect: { ...plainDialect, markedModels: /claude|qwen/i },
  },
  {
    name: 'gemini',
    envKey: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    defaultModel: 'gemini-3.8-flash',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: {
      ...plainDialect,
      callFields: unsignedCall,
      thoughts: 'call-fields',
      effort: 'reasoning_effort',
    },
  },
  {
    name: 'deepseek',
    envKey: 'DEEPSEEK_API_KEY',
    baseUrl: 'https://api.deepseek.com',
    defaultModel: 'deepseek-flash',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: { ...plainDialect, thoughts: 'demanded-content', effort: 'reasoning_effort' },
  },
  {
    name: 'zai',
    envKey: 'ZAI_API_KEY',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    defaultModel: 'glm-5.3',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    // Unless told not to it forgets what was thought in earlier turns, and with it its cache of them.
    dialect: {
      ...plainDialect,
      fields: { thinking: { type: 'enabled', clear_thinking: false } },
      thoughts: 'content',
      toolChoice: 'refused',
    },
  },
  {
    name: 'kimi',
    envKey: 'MOONSHOT_API_KEY',
    baseUrl: 'https://api.moonshot.ai/v1',
    defaultModel: 'kimi-k2.6',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: {
      ...plainDialect,
      limitField: 'max_completion_tokens',
      thoughts: 'demanded-content',
      cacheKey: 'accepted',
    },
  },
  {
    name: 'minimax',
    envKey: 'MINIMAX_API_KEY',
    baseUrl: 'https://api.minimax.io/v1',
    defaultModel: 'MiniMax-M3',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    // Without the split its thoughts stand in the text, between tags.
    dialect: {
      ...plainDialect,
      limitField: 'max_completion_tokens',
      fields: { reasoning_split: true },
      thoughts: 'details',
      toolChoice: 'refused',
    },
  },
  {
    name: 'groq',
    envKey: 'GROQ_API_KEY',
    baseUrl: 'https://api.groq.com/openai/v1',
    defaultModel: 'openai/gpt-oss-120b',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
  {
    name: 'mistral',
    envKey: 'MISTRAL_API_KEY',
    baseUrl: 'https://api.mistral.ai/v1',
    defaultModel: 'mistral-large-latest',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    // It refuses every field that it does not know, and counts tokens without being asked.
    dialect: { ...plainDialect, usage: 'by-itself' },
  },
  {
    name: 'xai',
    envKey: 'XAI_API_KEY',
    baseUrl: 'https://api.x.ai/v1',
    defaultModel: 'grok-4.5',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
  {
    name: 'together',
    envKey: 'TOGETHER_API_KEY',
    baseUrl: 'https://api.together.ai/v1',
    defaultModel: 'openai/gpt-oss-120b',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
  {
    name: 'huggingface',
    envKey: 'HF_TOKEN',
    baseUrl: 'https://router.huggingface.co/v1',
    defaultModel: 'openai/gpt-oss-120b',
    place: 'remote',
    route: 'aggregator',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
];

/** Servers on this machine, at the address where each listens unless told otherwise. */
export const localVendors: readonly Vendor[] = [
  serverAt('llamacpp', 8080),
  serverAt('vllm', 8000),
  serverAt('ollama', 11_434),
  serverAt('lmstudio', 1234),
];

function serverAt(name: string, port: number): Vendor {
  return {
    name,
    envKey: undefined,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    defaultModel: undefined,
    place: 'local',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  };
}
