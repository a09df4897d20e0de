/** Whether a program that ends to come back is brought back. */
export type Restart =
  /** `begin` ends it in good order, for whatever keeps it to start it again. */
  | { readonly type: 'kept'; readonly begin: () => void }
  /** Nobody would bring it back. `advise` says what changes that on this system, in a sentence. */
  | { readonly type: 'unkept'; readonly advise: () => Promise<string> };

/** What helps on every system. */
export const backgroundAdvice =
  'End it where it runs and type `talaria gateway start`: a gateway in the background comes back after /restart. ' +
  'After a crash or a reboot only what `talaria gateway install` sets up comes back by itself.';
