import type { CacheMiss } from '../model/provider.ts';
import { formatTokens } from './usage-report.ts';

/** What a server itself says about why it read something anew, as a sentence. Pure. */
export function describeServerReason({ reason, tokens }: CacheMiss): string {
  const silence = silences[reason];
  if (silence !== undefined) return `The server was asked for its own reason and ${silence}.`;
  const about = tokens === undefined ? '' : ` (about ${formatTokens(tokens)} tokens)`;
  return `The server's own reason: ${words[reason] ?? reason.replaceAll('_', ' ')}${about}.`;
}

// The reasons of Anthropic's cache diagnostics and of OpenAI's prompt cache diagnostics.
const words: Readonly<Record<string, string>> = {
  model_changed: 'the model changed',
  system_changed: 'the system prompt changed',
  tools_changed: 'the tools changed',
  messages_changed: 'earlier messages changed',
  input_changed: 'earlier messages changed',
  prompt_cache_key_changed: 'the key of the cache changed',
  text_format_changed: 'the form of the answer changed',
  reasoning_effort_changed: 'the effort of thinking changed',
  verbosity_changed: 'the length of the answer that was asked for changed',
  context_compacted: 'the conversation was shortened',
  service_tier_changed: 'the service tier changed',
};

const silences: Readonly<Record<string, string>> = {
  unavailable: 'could not tell',
  previous_message_not_found: 'no longer knew the request before',
  comparison_response_not_found: 'no longer knew the request before',
};
