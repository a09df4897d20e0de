import { textPart } from '../model/message.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { Tool, ToolPlace } from '../model/tool.ts';

export type Recovery = { readonly type: 'run' } | { readonly type: 'settle'; readonly outcome: ToolOutcome };

/** What becomes of a call that had started when the program ended. What cannot be proved undone is never run again. */
export async function recoverCall(
  tool: Tool,
  input: unknown,
  place: ToolPlace,
  lookUp: () => Promise<ToolOutcome | undefined>,
): Promise<Recovery> {
  switch (tool.effect) {
    case 'reads':
    case 'idempotent':
    case 'keyed':
      return { type: 'run' };
    case 'verifiable':
      return await verify(tool, input, place);
    case 'unsafe': {
      const outcome = await lookUp();
      return outcome === undefined ? unknown(tool) : { type: 'settle', outcome };
    }
  }
}

async function verify(tool: Tool, input: unknown, place: ToolPlace): Promise<Recovery> {
  switch (await tool.verify(input, place)) {
    case 'done':
      return {
        type: 'settle',
        outcome: { type: 'done', parts: [textPart('This took effect before the program was restarted.')] },
      };
    case 'not-done':
      return { type: 'run' };
    case 'unknown':
      return unknown(tool);
  }
}

function unknown(tool: Tool): Recovery {
  return { type: 'settle', outcome: { type: 'unknown', lastSeen: `${tool.name} had started` } };
}
