import type { Risk } from '../../model/tool.ts';
import { spellOutLine } from '../tool-outcomes.ts';
import { judgeUrl } from './judge-url.ts';
import { readExceptions } from './private-exceptions.ts';
import { carriesSecret, looksLikeSecret } from './url-secrets.ts';
import type { WebToolDeps } from './web-tool-deps.ts';

export const secretLeaving = 'a key or a password of yours is in it, and would leave the machine';

// What is longer could carry more out of the machine than a page is asked for with.
const longestUnasked = 2000;

/** Public pages are read without a question; what could carry something out is asked about, and our own keys never leave. */
export function assessUrl(text: string, deps: WebToolDeps): Risk {
  const verdict = judgeUrl(text, readExceptions(deps.settings().allowPrivate));
  if (verdict.type === 'barred') return { type: 'forbidden', reason: verdict.reason, is: 'mistake' };
  const risk = assessLeaving(text, deps);
  // What is no address is not fetched, and the model is told why: there is nothing to ask about.
  return verdict.type === 'unfit' && risk.type === 'ask' ? { type: 'safe' } : risk;
}

/** Whether a text may leave the machine, to a server that strangers run. */
export function assessLeaving(text: string, deps: WebToolDeps): Risk {
  if (carriesSecret(text, deps.credentials())) return { type: 'forbidden', reason: secretLeaving };
  if (looksLikeSecret(text)) return ask(text, 'There is something in it that looks like a key.');
  if (text.length <= longestUnasked) return { type: 'safe' };
  return ask(text, `It is ${text.length} characters long, and could carry something out.`);
}

function ask(text: string, doubt: string): Risk {
  return { type: 'ask', question: `Send this to the web? ${doubt}\n\n${spellOutLine(text)}` };
}
