import type { BlobId, CallId, PersonId, SessionId, TurnId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { GivenImage } from './image.ts';
import type { ImagePart, ToolOutcome } from './message.ts';
import type { Question, QuestionEnd } from './questions.ts';
import type { Schema } from './schema.ts';

/**
 * What a call does to the world. It decides what may run side by side and what a crash may repeat:
 * `reads` and `idempotent` run again, `keyed` runs again under the same key, `verifiable` is checked first, and
 * `unsafe` never runs a second time.
 */
export type ToolEffect = 'reads' | 'idempotent' | 'keyed' | 'verifiable' | 'unsafe';

/** Whether a call needs a person's consent. The question shows everything that would run. */
export type Risk =
  | {
      readonly type: 'safe';
      /** Set where it is safe only because of where it runs. */
      readonly within?: 'sandbox';
      readonly where?: Whereabouts;
    }
  | {
      readonly type: 'ask';
      readonly question: string;
      /** Why it is not run unasked, for whoever wants to know; no part of the question. */
      readonly why?: string;
      readonly standing?: Standing;
      readonly where?: Whereabouts;
    }
  | {
      readonly type: 'forbidden';
      readonly reason: string;
      /** Set where the call is a mistake that the reason helps to mend, rather than an act that is never done. */
      readonly is?: 'mistake';
    };

/** Where a command would run, and why there, for whoever wants to know. */
export interface Whereabouts {
  /** In the sandbox, in the system as it is, or in another one. */
  readonly in: 'sandbox' | 'system' | 'elsewhere';
  readonly why: string;
}

/** Acts that one consent can cover beyond the one that is asked about. */
export interface Standing {
  /** Equal for just these acts: everything that gives them their meaning is in it. */
  readonly covers: string;
  /** The same for people, on one line. */
  readonly shown: string;
  /** What a button has room for: `git push …`. */
  readonly label: string;
  readonly atMost: 'session' | 'always';
}

/** What a call touches: these files and folders (absolute paths), or anything at all. */
export type Footprint = { readonly type: 'files'; readonly paths: readonly string[] } | { readonly type: 'anything' };

/** The session a call belongs to, and the folder that it was opened in. */
export interface ToolPlace {
  readonly sessionId: SessionId;
  readonly workdir: string;
  /** For whom it runs; left out where nobody in particular asks. */
  readonly person?: PersonId;
}

export interface ToolContext extends ToolPlace {
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly person: PersonId;
  readonly signal: AbortSignal;
  /** Equal for every run of the same call, so that a remote that honours it acts once. */
  readonly idempotencyKey: string;
  /** Asks the person for whom this runs, and waits. */
  readonly ask: (question: Question) => Promise<QuestionEnd>;
  /** Shows a line to whoever watches. */
  readonly progress: (text: string) => void;
  /** Keeps a picture that the model is to see, as a part of the outcome; says why where no model could. */
  readonly keepImage: (image: GivenImage) => Promise<ImagePart | string>;
  /** The text kept under a blob's id, or undefined where this session has none such. */
  readonly readBlob: (blob: BlobId) => Promise<string | undefined>;
}

/** A thing that the model can do. Its name, description and input are sent byte for byte with every request. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** What it is chosen and left out by, together with others of its kind. */
  readonly toolset: string;
  /** Set where it comes from a server outside of the program: where those are many, they are found on demand. */
  readonly server?: string;
  readonly description: string;
  readonly input: Schema<Input>;
  readonly effect: ToolEffect;
  assess(input: Input, place: ToolPlace): Promise<Risk>;
  footprint(input: Input, place: ToolPlace): Footprint;
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
  /** After a crash, whether an earlier run took effect. Only asked of `verifiable` tools; the others answer `unknown`. */
  verify(input: Input, place: ToolPlace): Promise<'done' | 'not-done' | 'unknown'>;
  /**
   * After a crash, what became of an earlier run, found out without running anything; undefined where that cannot be
   * known. Only asked of `unsafe` tools, and waits for a run that is not over.
   */
  recover?(input: Input, context: ToolContext): Promise<ToolOutcome | undefined>;
  /**
   * For a tool that stands for others: which one a call means, and with what; undefined where it is none of them. Everything
   * else, consent included, is then that one's affair.
   */
  meant?(input: Input): { readonly tool: Tool; readonly input: Json } | undefined;
}

/** Something that a session had left running has ended by itself. */
export interface TaskNews {
  readonly sessionId: SessionId;
  /** Of this ending, and of no other. */
  readonly key: string;
  /** As the model reads it, and as people do. */
  readonly forModel: string;
  readonly forPeople: string;
  /** For the time when it is on record that they were told; each of them is told once. */
  noteHeard(): void;
  noteTold(): void;
}

/** The tools of this process. The generation rises whenever the list changes. */
/** What keeps the commands of a session in, for people. */
export interface FenceReport {
  readonly text: string;
  /** What there would have to be another one of for it to be otherwise; undefined where it is in force. */
  readonly cause: 'system' | 'folder' | undefined;
}

export interface Toolbox {
  readonly generation: number;
  readonly tools: ReadonlyMap<string, Tool>;
  /** Ends the working state of a session (its shell, its processes). For reset, expiry and deletion only. */
  endTask(sessionId: SessionId): Promise<void>;
  /** The sessions that have working state, of earlier starts of the program too. */
  sessionsWithTask(): Promise<readonly SessionId[]>;
  /** Whether something that a session started is still running, in the background or not. */
  hasLiveProcess(sessionId: SessionId): Promise<boolean>;
  /** What keeps its commands in; undefined where no tool runs any. */
  describeFence(place: ToolPlace): Promise<FenceReport | undefined>;
  /** What has ended in a session without its model having heard of it. */
  unheardNews(sessionId: SessionId): readonly TaskNews[];
  /** Tells whatever ends, in any session, and what ended while nobody listened, until it is disposed of. */
  onNews(listener: (news: TaskNews) => void): Disposable;
}
