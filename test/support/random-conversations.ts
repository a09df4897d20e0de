import * as fc from 'fast-check';
import { countInto } from './random-counts.ts';
import type { Counts } from './random-counts.ts';
import { judgeConversation } from './random-judge.ts';
import { anyPlan } from './random-plan.ts';
import { play } from './random-player.ts';

/** Conversations wait for the disk most of the time, so that several are played at once. */
const atOnce = 8;
/** One that hangs is reported like any other failure. */
const longestMs = 60_000;

/** Plays so many random conversations and judges each. A failure names the seed and the smallest plan that shows it. */
export async function checkConversations(runs: number, seed: number): Promise<Counts> {
  const counts: Counts = new Map();
  let failing: number | undefined;
  const check = async (lane: number): Promise<void> => {
    const property = fc.asyncProperty(anyPlan, async (plan) => {
      // The one that fails is made smaller; nobody waits for the others then.
      if (failing !== undefined && failing !== lane) return;
      try {
        const played = await play(plan);
        judgeConversation(played);
        countInto(counts, played);
      } catch (thrown) {
        failing ??= lane;
        throw thrown;
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / atOnce), seed: seed + lane, timeout: longestMs });
  };
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, (_, lane) => check(lane)));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return counts;
}
