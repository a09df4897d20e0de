import type { ConsentOffer, Outbound } from '../model/channel.ts';
import type { ConsentScope, Verdict } from '../model/turn.ts';
import { readVerdict } from './read-verdict.ts';

/** An answer to a question whether something may be done. */
export interface Reply {
  readonly verdict: Verdict;
  readonly scope?: ConsentScope;
}

/** What stands in front of the answer to a question. Pure. */
export function promptFor(question: Pick<Outbound, 'about' | 'offer'>): string {
  return takesWords(question) ? 'Your answer: ' : replyPrompt(question.offer);
}

/** Whether any words answer a question. Pure. */
export function takesWords({ about }: Pick<Outbound, 'about'>): boolean {
  return about === 'choice';
}

/** What stands in front of the answer: which ones there are. Pure. */
export function replyPrompt(offer: ConsentOffer | undefined): string {
  if (offer === undefined) return 'Allow this? [y/N] ';
  const always = offer.atMost === 'always' ? ' [a]lways,' : '';
  return `Allow this? [y]es once, for the [s]ession,${always} [N]o: `;
}

/** An answer that reaches further counts only where it was offered. Pure. */
export function readReply(line: string, offer: ConsentOffer | undefined): Reply | 'unclear' {
  const answer = line.trim().toLowerCase();
  if (offer !== undefined && (answer === 's' || answer === 'session')) return { verdict: 'approved', scope: 'session' };
  if (offer?.atMost === 'always' && (answer === 'a' || answer === 'always'))
    return { verdict: 'approved', scope: 'always' };
  const verdict = readVerdict(line);
  return verdict === 'unclear' ? verdict : { verdict };
}
