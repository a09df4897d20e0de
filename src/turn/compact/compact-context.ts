import { textPart } from '../../model/message.ts';
import type { Message } from '../../model/message.ts';
import { noUsage } from '../../model/provider.ts';
import type { Compaction } from '../../model/turn.ts';
import { announceSpending, bookCall } from '../book-call.ts';
import type { EndedCall } from '../book-call.ts';
import type { CompactionDeps } from './compaction-deps.ts';
import { limitNow } from './measure-prompt.ts';
import type { CompactionPlan } from './plan-compaction.ts';
import { lastAnswer, summarizeByProgram } from './program-summary.ts';
import { shortenText } from './shorten-text.ts';
import type { SummaryWish } from './summary-request.ts';
import { composeSummary } from './summary-text.ts';
import { writeSummary } from './write-summary.ts';
import type { Writing, Written } from './write-summary.ts';

const fewestWords = 300;
const mostWords = 2000;
const wordsPerToken = 0.7;
const summaryShare = 0.2;
const shortestSummary = 400;

/**
 * Shortens the conversation as planned: a summary is written and recorded, and from then on it is read in place of what it
 * stands for. An abort before that leaves the conversation as it was; the calls that were made for it are returned.
 */
export async function compactContext(
  plan: CompactionPlan,
  deps: CompactionDeps,
  signal: AbortSignal,
): Promise<readonly EndedCall[]> {
  deps.emit({ type: 'notice', text: await announce(plan, deps) });
  const writing = await writeSummary(wishFor(plan, deps), deps, signal);
  if (signal.aborted) return writing.calls;
  const compaction = decideSummary(plan, writing, deps);
  await recordCompaction(compaction, writing.calls, deps, signal);
  if (compaction.writtenBy === 'program') deps.emit({ type: 'notice', text: excuse(writing) });
  return [];
}

async function announce({ cause, before }: CompactionPlan, deps: CompactionDeps): Promise<string> {
  const used = formatTokens(before);
  const what = `shortening the conversation (about ${used} tokens)`;
  if (cause.type === 'too-full') return `${what}: it may have ${formatTokens(await limitNow(deps))} here`;
  return cause.type === 'overflow' ? `${what}: it is too long for the model` : what;
}

function formatTokens(tokens: number): string {
  return Math.round(tokens).toLocaleString('en');
}

function wishFor({ cause, past, count }: CompactionPlan, { conversation, recorder }: CompactionDeps): SummaryWish {
  const tokens = conversation.tokens.of(past, count);
  return {
    sessionId: recorder.turn.sessionId,
    past,
    earlier: conversation.compactions.inForce?.compaction.summary,
    focus: cause.type === 'asked' ? cause.focus : '',
    mostWords: Math.round(Math.min(Math.max(tokens * summaryShare * wordsPerToken, fewestWords), mostWords)),
  };
}

/** The model's summary, unless there is none or it is longer than what it stands for. */
function decideSummary(plan: CompactionPlan, writing: Writing, deps: CompactionDeps): Compaction {
  if (writing.written !== undefined) {
    const compaction = compose(plan, writing.written, deps);
    if (compaction.after < compaction.before) return compaction;
  }
  const earlier = deps.conversation.compactions.inForce?.compaction.summary;
  const past = deps.conversation.tokens.of(plan.past, plan.count);
  // Two characters a token: half of what it stands for, and less.
  const summary = shortenText(summarizeByProgram(plan.past, earlier), Math.max(past * 2, shortestSummary));
  return compose(plan, { summary, writtenBy: 'program', usage: noUsage }, deps);
}

function compose(plan: CompactionPlan, written: Written, { conversation, recorder }: CompactionDeps): Compaction {
  const { through, holds, past, kept, words, before, size } = plan;
  const isAnswerKept = lastAnswer(kept) !== undefined;
  const text = composeSummary({ ...written, words, lastAnswer: isAnswerKept ? undefined : lastAnswer(past) });
  const standIn: Message = { role: 'user', parts: [textPart(text)] };
  // What a server counts and what is estimated differ; the share that is saved is the same.
  const share = size([standIn, ...kept]) / size(conversation.messagesFor(recorder.turn.turnId));
  return {
    through,
    ...(holds && { holds }),
    ...written,
    text,
    before: Math.round(before),
    after: Math.round(before * share),
  };
}

/**
 * The compaction, what it took and what that cost become durable together, and with them the prompt as it is now: the
 * server has to read everything anew here, and what changed in the prompt since the session began costs nothing more.
 */
async function recordCompaction(
  compaction: Compaction,
  calls: readonly EndedCall[],
  deps: CompactionDeps,
  signal: AbortSignal,
): Promise<void> {
  const { recorder, compaction: settings } = deps;
  const prompt = await settings.remakePrompt();
  await recorder.write(async (tx) => {
    for (const call of calls) await bookCall(call, recorder.turn, tx);
    if (prompt !== deps.prompt) await tx.sessions.freeze(recorder.turn.sessionId, prompt);
    return await recorder.appendIn(tx, [{ type: 'context.compacted', ...compaction }]);
  }, signal);
  settings.takePrompt(prompt);
  await announceSpending(calls, deps);
}

function excuse({ problem }: Writing): string {
  const why = problem === '' ? 'the one of the model was no shorter' : problem;
  return `the program wrote the summary itself, from the log: ${why}`;
}
