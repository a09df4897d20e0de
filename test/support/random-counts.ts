import { parseJson } from '../../src/base/json.ts';
import { pick } from './random-judge-ends.ts';
import { isAtPrimary, startsOf } from './random-judge-starts.ts';
import type { Played } from './random-player.ts';

/** How often each kind of thing happened, over many conversations. */
export type Counts = Map<string, number>;

/** The kinds of which some must have happened, or the conversations were not worth playing. */
export const wishedKinds = [
  ...['chat_completions', 'anthropic_messages', 'codex_responses'].map((mode) => `requests ${mode}`),
  ...['first', 'prompt', 'compacted', 'restored', 'reasoning', 'effort', 'tool-choice'].map(
    (cause) => `changed ${cause}`,
  ),
  ...['retry', 'recover', 'rotate', 'fall-back', 'compact', 'forget-reasoning', 'give-up'].map(
    (next) => `then ${next}`,
  ),
  ...[400, 401, 402, 413, 429, 500, 503, 529].map((status) => `refused ${status}`),
  ...['empty', 'broken-call', 'cut-call'].map((kind) => `unusable ${kind}`),
  ...['done', 'failed', 'interrupted', 'refused'].map((outcome) => `calls ${outcome}`),
  ...['replied', 'interrupted', 'failed'].map((result) => `turns ${result}`),
  ...['cut', 'empty', 'budget'].map((cause) => `nudged ${cause}`),
  'requests for a summary',
  'compactions by the program',
  'compactions by a model',
  'steered',
  'released',
  'restarts',
  'answers with several calls',
  'calls that stayed broken',
  'turns begun in a cool-down',
  'turns begun with another key',
];

export function countInto(counts: Counts, played: Played): void {
  const add = (kind: string, by = 1): unknown => counts.set(kind, (counts.get(kind) ?? 0) + by);
  const { log, sent, restarts, plan } = played;
  add('conversations');
  add('requests', sent.length);
  for (const { place } of sent) add(`requests ${plan.setup.runtimes[place]?.apiMode}`);
  add('requests for a summary', pick(log, 'compaction.asked').length);
  add('restarts', restarts.length);
  add('steered', pick(log, 'turn.steered').length);
  add('released', pick(log, 'turn.released').length);
  for (const { entry } of pick(log, 'step.asked')) if (entry.change) add(`changed ${entry.change.cause}`);
  for (const { entry } of pick(log, 'turn.nudged')) add(`nudged ${entry.cause}`);
  for (const { entry } of pick(log, 'turn.settled')) add(`turns ${entry.result.type}`);
  for (const { entry } of pick(log, 'tool.settled')) add(`calls ${entry.outcome.type}`);
  for (const { entry } of pick(log, 'step.finished'))
    if (entry.message.calls.length > 1) add('answers with several calls');
  for (const { entry } of pick(log, 'step.finished')) {
    if (entry.message.calls.some((call) => parseJson(call.arguments) === undefined)) add('calls that stayed broken');
  }
  for (const { entry } of pick(log, 'context.compacted')) {
    add(entry.writtenBy === 'program' ? 'compactions by the program' : 'compactions by a model');
  }
  for (const { entry } of pick(log, 'step.failed')) {
    add(`then ${entry.next.type}`);
    if (entry.failure.type === 'http') add(`refused ${entry.failure.status}`);
    if (entry.failure.type === 'unusable') add(`unusable ${entry.failure.kind}`);
  }
  for (const start of startsOf(played)) {
    if (!isAtPrimary(start, plan.setup)) add('turns begun in a cool-down');
    else if (/_[23]$/.test(start.actual.key)) add('turns begun with another key');
  }
}

export function describeCounts(counts: Counts): string {
  return [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ');
}
