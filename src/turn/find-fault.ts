import { isJsonObject, parseJson } from '../base/json.ts';
import { partsToText } from '../model/message.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, UnusableKind } from '../model/provider.ts';

/** What is wrong with an answer that arrived whole, or undefined where it can be used. Pure. */
export function findFault(message: AssistantMessage, finish: Finish, failuresBefore: number): UnusableKind | undefined {
  // A call that the length limit cut may still look like JSON; it is never run.
  if (finish === 'length' && message.calls.length > 0) return 'cut-call';
  if (finish === 'length') return undefined;
  const isEmpty = message.calls.length === 0 && partsToText(message.parts).trim() === '';
  if (isEmpty) return finish === 'filtered' ? undefined : 'empty';
  const hasBrokenCall = message.calls.some((call) => !isJsonObject(parseJson(call.arguments)));
  // After its retries the broken call is kept: the model reads what was wrong with it as the call's result.
  if (hasBrokenCall && failuresBefore < mostUnusableAnswers['broken-call']) return 'broken-call';
  return undefined;
}

/** How often in a row an answer that cannot be used is asked for anew. */
export const mostUnusableAnswers: Readonly<Record<UnusableKind, number>> = {
  empty: 2,
  'broken-call': 2,
  'cut-call': 3,
};
