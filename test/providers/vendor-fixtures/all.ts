import { deepseek } from './deepseek.ts';
import type { VendorFixture } from './fixture.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { kimi } from './kimi.ts';
import { llamacpp } from './llamacpp.ts';
import { lmstudio } from './lmstudio.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiResponses } from './openai-responses.ts';
import { openrouter } from './openrouter.ts';
import { together } from './together.ts';
import { vllm } from './vllm.ts';
import { xai } from './xai.ts';
import { zai } from './zai.ts';

export const fixtures: readonly VendorFixture[] = [
  openai,
  openaiResponses,
  openrouter,
  gemini,
  deepseek,
  zai,
  kimi,
  minimax,
  groq,
  mistral,
  xai,
  together,
  huggingface,
  llamacpp,
  vllm,
  ollama,
  lmstudio,
];
