import type { ToolOutcome } from '../model/message.ts';
import type { Tool, ToolContext } from '../model/tool.ts';

type Redact = (text: string) => string;

/** The tool as it is, except that our own keys are taken out of everything that it says. */
export function withoutKeys(tool: Tool, redact: Redact): Tool {
  const quiet = (context: ToolContext): ToolContext => ({
    ...context,
    progress: (text) => context.progress(redact(text)),
  });
  return {
    ...tool,
    run: async (input, context) => redactOutcome(await tool.run(input, quiet(context)), redact),
    ...(tool.recover && {
      recover: async (input: unknown, context: ToolContext) => {
        const outcome = await tool.recover?.(input, quiet(context));
        return outcome && redactOutcome(outcome, redact);
      },
    }),
  };
}

function redactOutcome(outcome: ToolOutcome, redact: Redact): ToolOutcome {
  switch (outcome.type) {
    case 'done': {
      const parts = outcome.parts.map((part) => (part.type === 'text' ? { ...part, text: redact(part.text) } : part));
      return { ...outcome, parts };
    }
    case 'failed':
      return { ...outcome, message: redact(outcome.message) };
    case 'refused':
      return { ...outcome, reason: redact(outcome.reason) };
    case 'unknown':
      return { ...outcome, lastSeen: redact(outcome.lastSeen) };
    case 'interrupted':
      return outcome;
  }
}
