import type { ConsentOffer, Outbound } from '../model/channel.ts';
import type { ConsentScope, Verdict } from '../model/turn.ts';
import { readVerdict } from './read-verdict.ts';

/** An answer to a question whether something may be done. */
export interface Reply {
  readonly verdict: Verdict;
  readonly scope?: ConsentScope;
}

/** What stands in front of the answer to a question. Pure. */
export function promptFor(question: Pick<Outbound, 'about' | 'offer'>, columns: number | undefined): string {
  return takesWords(question) ? 'Your answer: ' : replyPrompt(question.offer, columns);
}

/** Whether any words answer a question. Pure. */
export function takesWords({ about }: Pick<Outbound, 'about'>): boolean {
  return about === 'choice';
}

/** What stands in front of the answer: which ones there are, in as many words as a row of the screen has room for. Pure. */
export function replyPrompt(offer: ConsentOffer | undefined, columns = Infinity): string {
  const [long, ...shorter] = wordings(offer);
  return [long, ...shorter].find((wording) => wording.length < columns - roomBeside) ?? shorter.at(-1) ?? long;
}

/** For the answer, and for a word in front of it that something else waits to be shown. */
const roomBeside = 15;

function wordings(offer: ConsentOffer | undefined): readonly [string, ...string[]] {
  if (offer === undefined) return ['Allow this? [y/N] ', '[y/N] '];
  const [always, a] = offer.atMost === 'always' ? [' [a]lways,', '/a'] : ['', ''];
  return [
    `Allow this? [y]es once, for the [s]ession,${always} [N]o: `,
    `[y]es, [s]ession,${always} [N]o: `,
    `[y/s${a}/N] `,
  ];
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
