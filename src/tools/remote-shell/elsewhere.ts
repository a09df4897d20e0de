import type { SessionId } from '../../base/ids.ts';
import type { ToolPlace } from '../../model/tool.ts';

/** How bash is started elsewhere: it reads what to do from its standard input. */
export interface Way {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export type Reached =
  | { readonly type: 'open'; readonly way: Way }
  | { readonly type: 'closed'; readonly reason: string };

/** How a way ended that led nowhere. */
export interface Breakage {
  readonly error: Error | undefined;
  readonly code: number | undefined;
  readonly stderr: string;
}

/** A place outside of this machine, or shut off from it, in which commands run. */
export interface Elsewhere {
  /** As people and the model read it: `ann@box`. */
  readonly name: string;
  /** What a model must know about it. */
  readonly note: string;
  /** Whether what runs there can reach nothing but the session's own folder. */
  readonly isSandbox: boolean;
  /** Where the first command of a session runs: in the home folder, or in the one that bash finds itself in. */
  readonly startsIn: 'home' | 'here';
  /** The way there, with all made ready that it takes. */
  reach(place: ToolPlace, signal: AbortSignal): Promise<Reached>;
  /** What it means, for someone who can do something about it, that the way led nowhere. */
  explain(breakage: Breakage): string;
  /** Gives up what was made ready for a session; `gone` where that was all that it had there. */
  release(sessionId: SessionId): Promise<'gone' | 'stays'>;
  close(): Promise<void>;
}
