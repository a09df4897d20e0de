import type { RefusalKind } from '../model/provider.ts';

/** What a server said when it refused: its status, and of its body the codes and the words. */
export interface Refusal {
  readonly status: number;
  readonly codes: readonly string[];
  readonly words: string;
}

interface Row {
  readonly kind: RefusalKind;
  readonly statuses?: readonly number[];
  /** Codes and types of errors, each with the status that it has before a stream. */
  readonly codes?: Readonly<Record<string, number>>;
  /** What vendors say that give no code for it. */
  readonly phrases?: readonly RegExp[];
}

/**
 * What an error means. The first row that knows its status, one of its codes or its words decides, so that what says more
 * stands before what says less: an empty account is a 429 at some vendors, and a full context a 400 at most.
 */
const rows: readonly Row[] = [
  {
    kind: 'stale-reasoning',
    codes: { invalid_encrypted_content: 400 },
    phrases: [
      /invalid `?signature`? in `?thinking`? block/i, // Anthropic
      /`?thinking`? or `?redacted_thinking`? blocks .*cannot be modified/i, // Anthropic
      /thought signature is not valid|corrupted thought signature/i, // Gemini
    ],
  },
  {
    kind: 'images',
    codes: {
      invalid_image: 400,
      invalid_image_format: 400,
      invalid_base64_image: 400,
      invalid_image_url: 400,
      image_too_large: 400,
      image_too_small: 400,
      image_parse_error: 400,
      invalid_image_mode: 400,
      image_file_too_large: 400,
      unsupported_image_media_type: 400,
      empty_image_file: 400,
    },
    phrases: [
      /image_url is only supported by certain models/i, // OpenAI
      /image exceeds \d+ MB maximum|image dimensions exceed|could not process image/i, // Anthropic
      /no endpoints found that support image input/i, // OpenRouter, with 404
      /unable to process input image/i, // Gemini
      /unknown variant `?image_url`?/i, // DeepSeek
      /messages?\[\d+\]\.content must be a string/i, // Groq
      /too many images/i, // Groq
      /does not support (?:image|vision)|missing data required for image input/i, // Ollama
      /image input is not (?:supported|enabled)/i, // llama.cpp, with 500; Mistral
      /unsupported content part type: \W*image_url/i, // llama.cpp, with 500
      /is not a multimodal model|at most \d+ image\(s\) may be provided/i, // vLLM
    ],
  },
  {
    kind: 'filtered',
    codes: {
      image_content_policy_violation: 400,
      content_policy_violation: 400,
      content_filter: 400, // Azure, Kimi
      data_inspection_failed: 400, // Alibaba
      invalid_prompt: 400,
      bio_policy: 400,
      cyber_policy: 400,
      misalignment_policy_violation: 400,
    },
    phrases: [
      /output blocked by content filtering policy/i, // Anthropic
      /requires moderation .*flagged|input was flagged/i, // OpenRouter
      /^content exists risk$/im, // DeepSeek
    ],
  },
  {
    // A longer answer is asked for than the model gives: a shorter conversation is no cure.
    kind: 'bad-request',
    phrases: [
      /\bmax_(?:completion_|output_|new_)?tokens\b\W*(?:or \W*\w+\W*)?(?:is|are) too (?:large|high|long|big)/i, // OpenAI, vLLM
      /\bmax_(?:completion_|output_|new_)?tokens\b.{0,60}\bmust be (?:less|lower|smaller|at most|<)/i, // Groq, Mistral
      /\bmax_tokens: \d+ > \d+/i, // Anthropic
    ],
  },
  {
    kind: 'overflow',
    statuses: [413],
    codes: {
      context_length_exceeded: 400, // OpenAI, Groq, OpenRouter
      exceed_context_size_error: 400, // llama.cpp
      string_above_max_length: 400, // OpenAI
      token_limit_exceeded: 400, // OpenRouter
      request_too_large: 413, // Anthropic
    },
    phrases: [
      /prompt is too long/i, // Anthropic
      /input length and `?max_tokens`? exceed context limit/i, // Anthropic
      /maximum context length is [\d,]+/i, // vLLM, OpenRouter, DeepSeek
      /input token count.* exceeds the maximum number of tokens allowed/i, // Gemini
      /exceeds the available context size/i, // llama.cpp
      /prompt too long; exceeded (?:max )?context length/i, // Ollama
      /input length exceeds the context length/i, // Ollama
      /maximum prompt length is [\d,]+/i, // xAI
      /exceeded model token limit|input token length too long/i, // Kimi
      /too large for model with [\d,]+ maximum context length/i, // Mistral
      /context window exceeds limit/i, // MiniMax
      /model is loaded with context length of only|greater than the context length/i, // LM Studio
      /^request too large for /im, // OpenAI and Groq: more than the account may send in a minute
    ],
  },
  {
    kind: 'billing',
    statuses: [402],
    codes: {
      insufficient_quota: 429, // OpenAI
      billing_hard_limit_reached: 429, // OpenAI
      billing_not_active: 429, // OpenAI
      billing_error: 402, // Anthropic
      exceeded_current_quota_error: 429, // Kimi
      1113: 429, // Z.ai
    },
    phrases: [
      /credit balance is too low/i, // Anthropic
      /used all available credits or reached its monthly spending limit/i, // xAI
      /usage limit for this billing cycle/i, // Kimi
    ],
  },
  {
    kind: 'auth',
    statuses: [401],
    codes: { authentication_error: 401, invalid_api_key: 401, API_KEY_INVALID: 400 },
    phrases: [/api key not valid/i], // Gemini
  },
  {
    kind: 'not-found',
    statuses: [404],
    codes: { not_found_error: 404, model_not_found: 404 },
    phrases: [/is not a valid model id/i], // OpenRouter
  },
  { kind: 'forbidden', statuses: [403], codes: { permission_error: 403, usage_not_included: 403 } },
  {
    kind: 'overloaded',
    statuses: [503, 529],
    codes: { overloaded_error: 529, server_is_overloaded: 503, slow_down: 503, engine_overloaded_error: 429 },
  },
  {
    kind: 'rate-limit',
    statuses: [429],
    codes: { rate_limit_error: 429, rate_limit_exceeded: 429, usage_limit_reached: 429 },
  },
  { kind: 'server', statuses: [408, 409, 425], codes: { api_error: 500, timeout_error: 504 } },
  { kind: 'bad-request', codes: { invalid_request_error: 400, data_residency_mismatch: 400 } },
];

/** What an error means, whoever says it. Pure. */
export function classifyFailure(refusal: Refusal): RefusalKind {
  const row = rows.find((candidate) => knows(candidate, refusal));
  if (row !== undefined && row.kind !== 'bad-request') return row.kind;
  return refusal.status >= 500 ? 'server' : 'bad-request';
}

/** The status that a code has before a stream; undefined for a code that nobody documents. */
export function statusOfCode(code: string): number | undefined {
  return rows.map(({ codes }) => codes?.[code]).find((status) => status !== undefined);
}

function knows({ statuses, codes, phrases }: Row, refusal: Refusal): boolean {
  if (statuses?.includes(refusal.status) === true) return true;
  if (refusal.codes.some((code) => codes !== undefined && Object.hasOwn(codes, code))) return true;
  return phrases?.some((phrase) => phrase.test(refusal.words)) === true;
}
