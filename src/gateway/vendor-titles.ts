import type { RuntimeName } from '../model/runtime.ts';

/** Vendors as they write themselves. */
const titles: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  openrouter: 'OpenRouter',
  nous: 'Nous',
  gemini: 'Gemini',
  deepseek: 'DeepSeek',
  zai: 'Z.ai',
  kimi: 'Kimi',
  minimax: 'MiniMax',
  groq: 'Groq',
  mistral: 'Mistral',
  xai: 'xAI',
  together: 'Together',
  huggingface: 'Hugging Face',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
};

/** Who answers, in a word: the vendor, or the whole name where that says nothing, or where two have the same vendor. Pure. */
export function titleOf(runtime: RuntimeName, beside?: RuntimeName): string {
  const vendor = vendorOf(runtime);
  const isAlone = beside === undefined || vendorOf(beside) !== vendor;
  return (isAlone && Object.hasOwn(titles, vendor) ? titles[vendor] : undefined) ?? runtime;
}

function vendorOf(runtime: RuntimeName): string {
  return runtime.slice(0, Math.max(0, runtime.indexOf(':')));
}
