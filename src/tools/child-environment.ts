const usual: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TERM',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
]);

const vendors = [
  'ANTHROPIC|AZURE_AI|AZURE_OPENAI|BRAVE|CEREBRAS|CLAUDE|COHERE|CUSTOM|DASHSCOPE|DEEPINFRA|DEEPSEEK|DISCORD|ELEVENLABS|EMAIL|EXA|FIRECRAWL|FIREWORKS',
  'GEMINI|GLM|GOOGLE|GROQ|HASS|HF|HUGGINGFACE|HUGGING_FACE|KIMI|LITELLM|MATRIX|MATTERMOST|MINIMAX|MISTRAL|MOONSHOT|NOUS',
  'NVIDIA|OLLAMA|OPENAI|OPENROUTER|PERPLEXITY|QWEN|SIGNAL|SLACK|SMTP|TALARIA|TAVILY|TELEGRAM|TOGETHER|TWILIO|VOYAGE',
  'WHATSAPP|XAI|ZAI|Z_AI',
].join('|');

// What we ourselves log in with: a command that could read it could send it anywhere.
const ourCredential = new RegExp(
  `^(?:${vendors})(?:_[A-Z0-9_]*)?_(?:KEY|KEYS|TOKEN|TOKENS|SECRET|PASSWORD|AUTH)(?:_?[0-9]+)?$`,
);

const defaultPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The environment that commands get: the usual names and those the user let through. The names that hold our own
 * credentials cannot be let through.
 */
export function chooseEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  passthrough: readonly string[],
): Record<string, string> {
  const wanted = new Set(passthrough);
  const chosen: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const isUsual = usual.has(name) || name.startsWith('LC_');
    if (isUsual || (wanted.has(name) && !isOurCredential(name))) chosen[name] = value;
  }
  return chosen;
}

function isOurCredential(name: string): boolean {
  return ourCredential.test(name.toUpperCase());
}
