import type { ModelFailure, RefusalKind } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';

/** A failure as a line for the person who waits. */
export function describeFailure(failure: ModelFailure): string {
  switch (failure.type) {
    case 'transport':
      return `the model could not be reached: ${failure.message}`;
    case 'http':
      return `the model's server answered ${failure.status}: ${failure.message}`;
    case 'protocol':
      return `the model's answer could not be read: ${failure.message}`;
    case 'unusable':
      return unusableTexts[failure.kind];
    case 'client':
      return `the model's client could not be made: ${failure.message}`;
    case 'aborted':
      return 'the call was stopped';
  }
}

const unusableTexts = {
  empty: 'the model keeps giving empty answers',
  'broken-call': 'the model keeps writing tool calls that are not valid JSON',
  'cut-call': 'the model keeps running out of output in the middle of a tool call; ask for smaller pieces',
} as const;

/** What advice depends on besides the failure. */
export interface AdviceContext {
  readonly runtime: Pick<Runtime, 'name' | 'vendor' | 'keyName'>;
  readonly compaction: 'possible' | 'spent' | 'off';
}

/** What the user can do about a failure that nothing else helps against; undefined where there is no good advice. Pure. */
export function adviseAfter(failure: ModelFailure, context: AdviceContext): string | undefined {
  if (failure.type !== 'http') return undefined;
  return failure.kind === 'bad-request' ? adviseOnRequest(failure.message) : advice[failure.kind](context);
}

/** Of the requests that servers cannot read, those that ask for too long an answer can be mended in the settings. */
function adviseOnRequest(message: string): string | undefined {
  const isAboutLength = /\bmax_(?:\w+_)?tokens\b/.test(message);
  return isAboutLength ? 'ask for shorter answers with model.max_output_tokens' : undefined;
}

const chooseAnother = '`talaria model set` chooses another for all, `/model` in a chat for one';

const advice: Readonly<Record<Exclude<RefusalKind, 'bad-request'>, (context: AdviceContext) => string | undefined>> = {
  auth: ({ runtime: { vendor, keyName } }) =>
    keyName === undefined ? `no key was sent: ${keyPlaces(vendor)}` : `check the key in ${keyName}`,
  forbidden: ({ runtime: { keyName, name } }) =>
    `${keyName === undefined ? 'without a key you' : `the key in ${keyName}`} may not use ${name}: ${chooseAnother}`,
  billing: ({ runtime: { keyName } }) =>
    `add credit to the account ${keyName === undefined ? 'there' : `of ${keyName}`}, or use another model: ${chooseAnother}`,
  'rate-limit': ({ runtime: { keyName } }) =>
    `wait a while, ${keyName === undefined ? '' : 'add another key, '}or name a fallback in the settings`,
  overloaded: () => 'try again later, or name a fallback in the settings',
  server: () => 'try again later, or name a fallback in the settings',
  overflow: ({ compaction }) =>
    compaction === 'off'
      ? 'the conversation is too long for the model, and compaction is switched off: begin anew with /new, or switch compression.enabled on'
      : 'the conversation is too long for the model, however much it is shortened: begin anew with /new, or use a model with a larger window',
  'stale-reasoning': () => 'begin anew with /new',
  images: () => `use a model that reads images: ${chooseAnother}`,
  'not-found': ({ runtime: { name } }) => `${name} cannot be had there: ${chooseAnother}`,
  filtered: () => 'say it in other words, or use another model',
};

/** Only `custom` has a variable of its own without asking for a key; a server at home has none. */
function keyPlaces(vendor: string): string {
  const named = 'name the variable that holds it in model.key_env, and set that';
  return vendor === 'custom' ? `set CUSTOM_API_KEY, or ${named}` : named;
}
