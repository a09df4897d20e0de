import { partsToText, textPart } from '../model/message.ts';
import type { Message } from '../model/message.ts';
import type { TurnEntry } from '../model/turn.ts';

/**
 * The messages of one turn. `carried` went out with a request and never changes again; `fresh` goes out with the next.
 * A request is `carried` + `fresh` + the steering, so that each request extends the one before.
 */
export interface TurnMessages {
  readonly carried: Message[];
  readonly fresh: Message[];
  readonly steering: string[];
}

export function emptyTurnMessages(): TurnMessages {
  return { carried: [], fresh: [], steering: [] };
}

/** Adds what an entry means to the model. Only ever appends, so that a long turn costs no copying. */
export function addToMessages(messages: TurnMessages, entry: TurnEntry): void {
  switch (entry.type) {
    case 'turn.admitted':
      messages.fresh.push({ role: 'user', parts: entry.parts });
      return;
    case 'turn.steered':
      messages.steering.push(partsToText(entry.parts));
      return;
    case 'turn.nudged':
      messages.fresh.push({ role: 'user', parts: [textPart(entry.text)] });
      return;
    case 'step.asked':
      messages.carried.push(...placeSteering(messages));
      messages.fresh.length = 0;
      messages.steering.length = 0;
      return;
    case 'step.finished':
      messages.fresh.push(entry.message);
      return;
    case 'tool.settled':
      messages.fresh.push({ role: 'tool', callId: entry.callId, outcome: entry.outcome, steering: [] });
      return;
    case 'turn.claimed':
    case 'turn.released':
    case 'step.failed':
    case 'approval.asked':
    case 'approval.answered':
    case 'tool.called':
    case 'turn.settled':
    case 'compaction.asked':
    case 'context.compacted':
    case 'context.restored':
  }
}

/** All messages of a turn as the next request carries them. */
export function messagesToSend(messages: TurnMessages): readonly Message[] {
  return [...messages.carried, ...placeSteering(messages)];
}

/**
 * Steering joins the newest tool result, where the model looks next, if no request has carried that result yet. Otherwise
 * it stands as a message of its own behind everything that was sent.
 */
function placeSteering({ fresh, steering }: TurnMessages): readonly Message[] {
  if (steering.length === 0) return fresh;
  const last = fresh.at(-1);
  if (last?.role === 'tool') return [...fresh.slice(0, -1), { ...last, steering: [...steering] }];
  return [...fresh, { role: 'user', parts: [textPart(steering.join('\n'))] }];
}
