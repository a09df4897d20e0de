import type { ApiMode, Runtime } from '../model/runtime.ts';
import { plainDialect } from './openai-chat-request.ts';
import type { ChatDialect } from './openai-chat-request.ts';

/** A vendor of the chat completions protocol. */
export interface Vendor {
  readonly name: string;
  /** The variable that holds its key. Local servers need none. */
  readonly envKey: string | undefined;
  readonly baseUrl: string;
  /** What is asked where the config names no model; undefined: the config must, or the server is asked what it has. */
  readonly defaultModel: string | undefined;
  readonly place: 'remote' | 'local';
  readonly route: Runtime['route'];
  readonly apiMode: ApiMode;
  readonly dialect: ChatDialect;
}

// Gemini refuses a past call without the signature of its thoughts, which we do not keep; this value, from its
// documentation of thought signatures, says so.
const unsignedCall = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

/** In the order in which keys are looked for. The addresses and models are those of each vendor's documentation. */
export const vendors: readonly Vendor[] = [
  {
    name: 'openai',
    envKey: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    // Later models take tools on this protocol only with their reasoning turned off.
    defaultModel: 'gpt-5.4',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: { ...plainDialect, limitField: 'max_completion_tokens' },
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
    dialect: plainDialect,
  },
  {
    name: 'gemini',
    envKey: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    defaultModel: 'gemini-3.8-flash',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: { ...plainDialect, callFields: unsignedCall },
  },
  {
    name: 'deepseek',
    envKey: 'DEEPSEEK_API_KEY',
    baseUrl: 'https://api.deepseek.com',
    defaultModel: 'deepseek-flash',
    place: 'remote',
    route: 'direct',
    apiMode: 'chat_completions',
    // While it thinks it demands its reasoning back with every past call, which we do not keep.
    dialect: { ...plainDialect, fields: { thinking: { type: 'disabled' } } },
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
    name: 'ollama',
    envKey: undefined,
    baseUrl: 'http://127.0.0.1:11434/v1',
    defaultModel: undefined,
    place: 'local',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
  {
    name: 'lmstudio',
    envKey: undefined,
    baseUrl: 'http://127.0.0.1:1234/v1',
    defaultModel: undefined,
    place: 'local',
    route: 'direct',
    apiMode: 'chat_completions',
    dialect: plainDialect,
  },
];

export function findVendor(name: string): Vendor | undefined {
  return vendors.find((vendor) => vendor.name === name);
}

export function dialectOf(vendorName: string): ChatDialect {
  return findVendor(vendorName)?.dialect ?? plainDialect;
}
