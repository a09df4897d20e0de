import type { ToolCall } from '../model/message.ts';
import { decideOrder } from './decide-order.ts';
import { prepareCall } from './prepare-call.ts';
import type { ReadyCall } from './prepare-call.ts';
import type { ToolDeps } from './tool-deps.ts';

/** All of the calls, if they can start at once and nobody has to be asked; none where even one has to wait its turn. */
export async function findReady(
  calls: readonly ToolCall[],
  { tools, place }: Pick<ToolDeps, 'tools' | 'place'>,
): Promise<readonly ReadyCall[]> {
  const prepared = await Promise.all(calls.map((call) => prepareCall(call, tools, place)));
  const ready = prepared.filter((each) => each.type === 'ready');
  if (ready.length < calls.length || ready.some(({ risk }) => risk.type !== 'safe')) return [];
  if (ready.length === 1) return ready;
  const order = decideOrder(
    ready.map(({ tool, input }) => ({
      effect: tool.effect,
      footprint: tool.footprint(input, place),
      needs: 'nothing',
    })),
  );
  return order === 'side-by-side' ? ready : [];
}
