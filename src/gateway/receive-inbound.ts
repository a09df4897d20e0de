import { describeError } from '../base/errors.ts';
import type { Channel, Inbound } from '../model/channel.ts';
import type { TellState } from '../model/channel-state.ts';
import type { ChannelStates } from './channel-states.ts';
import { takesLong } from './commands.ts';
import { describeFailedIntake, describeIntake, describePress } from './describe-intake.ts';
import type { Intake } from './intake.ts';
import type { InboundMessage } from './keep-images.ts';
import { replyAt, replyTarget } from './reply-target.ts';
import { tellStop } from './tell-stop.ts';
import type { StopTellingDeps } from './tell-stop.ts';
import type { Tellings } from './tellings.ts';

export interface ReceptionDeps extends Omit<StopTellingDeps, 'tellings' | 'signal'> {
  readonly takeIn: (inbound: Inbound) => Promise<Intake>;
  readonly tellings: Pick<Tellings, 'tell' | 'answer'>;
  /** Does what was put off until the sender was told. */
  readonly follow: (intake: Intake) => void;
  /** Has something go on beside all else. */
  readonly keep: (aside: Promise<void>) => void;
  readonly note: (what: string, thrown: unknown) => void;
  /** Tells whoever runs the program, and the chat that wished to hear of it. */
  readonly announce: (text: string) => Promise<void>;
  /** Goes on with what an earlier run left, where a channel has come to serve it. */
  readonly takeUp: () => Promise<void>;
  /** Is told how it stands with each channel. */
  readonly states: Pick<ChannelStates, 'tellerOf'>;
}

/** A channel that fails takes neither the others nor the process down. */
export async function receiveOrSayWhyNot(channel: Channel, deps: ReceptionDeps, signal: AbortSignal): Promise<void> {
  try {
    await receiveFrom(channel, deps, signal);
  } catch (thrown) {
    deps.states.tellerOf(channel)({ type: 'not-served', reason: describeError(thrown) });
    deps.note(`${channel.name} is not served any more`, thrown);
    await deps.announce(`${channel.name} is not served any more: ${describeError(thrown)}`);
  }
}

/**
 * Takes in what a channel brings, one after the other, and tells the senders. A command that asks others waits beside the
 * rest, so that a stop behind it does not wait for them. Whoever sits at a terminal waits for what was typed there.
 */
async function receiveFrom(channel: Channel, deps: ReceptionDeps, signal: AbortSignal): Promise<void> {
  const tell = takingUp(deps.states.tellerOf(channel), deps);
  tell({ type: 'served' }); // unless it says otherwise
  for await (const inbound of channel.receive(signal, tell)) {
    if (channel.traits.answers === 'at-once' || !takesLong(inbound)) await dealWith(inbound, channel, deps, signal);
    else
      deps.keep(
        dealWith(inbound, channel, deps, signal).catch((thrown: unknown) =>
          deps.note('a command was not answered', thrown),
        ),
      );
  }
}

/** What an earlier run left was not gone on with at the start where nothing could serve it: that is made up for. */
function takingUp(tell: TellState, { takeUp, keep, note }: ReceptionDeps): TellState {
  let isMissed = false;
  return (state) => {
    tell(state);
    if (isMissed && state.type === 'served')
      keep(takeUp().catch((thrown: unknown) => note('what was left was not taken up', thrown)));
    isMissed = state.type === 'absent' || state.type === 'not-served' || (isMissed && state.type !== 'served');
  };
}

async function dealWith(inbound: Inbound, channel: Channel, deps: ReceptionDeps, signal: AbortSignal): Promise<void> {
  const { tellings } = deps;
  const press = channel.endPress && inbound.type !== 'message' ? inbound.press : undefined;
  const intake = await takeInOrSayWhyNot(inbound, deps);
  const answer = describeIntake(intake);
  // A stranger has no session that an answer could be kept with.
  if (answer !== undefined && intake.type === 'denied') tellings.tell(inbound.address, answer);
  else if (answer !== undefined && inbound.type === 'choice' && press === undefined)
    tellings.tell(inbound.address, answer);
  else if (answer !== undefined && inbound.type === 'message')
    await answerMessage(inbound, answer, intake, { ...deps, channel, signal });
  // Beside the rest: what comes behind a press does not wait for a sign on a button.
  if (press !== undefined) void channel.endPress?.(press, describePress(intake), signal);
  deps.follow(intake);
}

async function answerMessage(
  inbound: InboundMessage,
  answer: string,
  intake: Intake,
  deps: ReceptionDeps & { readonly channel: Channel; readonly signal: AbortSignal },
): Promise<void> {
  const { as, stopped } = intake.type === 'commanded' ? intake : {};
  const manner = { kind: as, ...replyAt(inbound.address, replyTarget(inbound, 0).replyTo) };
  // Whoever sits in front of it sees at once that it was heard.
  if (stopped === undefined || deps.channel.traits.answers === 'at-once')
    return await deps.tellings.answer(inbound, answer, manner);
  const telling = tellStop(inbound, stopped, manner, deps);
  deps.keep(telling.catch((thrown: unknown) => deps.note('a stop was not answered', thrown)));
}

async function takeInOrSayWhyNot(inbound: Inbound, { takeIn, note }: ReceptionDeps): Promise<Intake> {
  try {
    return await takeIn(inbound);
  } catch (thrown) {
    note('an inbound message was not taken in', thrown);
    return { type: 'refused', reason: describeFailedIntake(thrown) };
  }
}
