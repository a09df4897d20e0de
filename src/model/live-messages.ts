/** A message on a platform that is of use only while a run of the program is behind it. */
export type LiveMessage = LivePreview | LiveQuestion;

/** Shows a turn that runs. */
export interface LivePreview extends MessagePlace {
  readonly type: 'preview';
}

/** Asks something. */
export interface LiveQuestion extends MessagePlace {
  readonly type: 'question';
  /** What an answer must name. */
  readonly digest: string;
}

interface MessagePlace {
  readonly account: string;
  readonly chat: string;
  readonly id: number;
}

/** Keeps where such messages stand, so that the next run can tidy up what this one leaves. None of its methods rejects. */
export interface LiveMessages {
  /** What earlier runs left. */
  readonly left: readonly LiveMessage[];
  /** Resolves when it is kept, or cannot be. */
  add(message: LiveMessage): Promise<void>;
  /** False where they may still be found by the next run, which will take them off: then nothing may be made of them that stays. */
  remove(messages: readonly LiveMessage[]): Promise<boolean>;
}

/** For those who leave nothing behind, or nobody to tidy up. */
export const noLiveMessages: LiveMessages = {
  left: [],
  add: () => Promise.resolve(),
  remove: () => Promise.resolve(true),
};
