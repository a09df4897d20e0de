/** The keys that people are told to set who have none, in whatever speaks to them first. */
export const usualKeys = 'OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY or another key';
