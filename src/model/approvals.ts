import type { PersonId } from '../base/ids.ts';
import type { ToolCall } from './message.ts';
import type { Standing, Whereabouts } from './tool.ts';
import type { ConsentRule, ConsentScope, TurnRef, Verdict } from './turn.ts';

/** A question to a person, bound to exactly one call by its digest. */
export interface ApprovalRequest {
  readonly turn: TurnRef;
  /** Undefined where it is about something other than a call: going on past a limit of money. */
  readonly call?: ToolCall;
  readonly digest: string;
  readonly question: string;
  /** What can be agreed to beyond this one act; left out: nothing. */
  readonly standing?: Standing;
}

export interface ApprovalAnswer {
  readonly verdict: Verdict;
  /** Null where nobody could be asked, or nobody answered. */
  readonly by: PersonId | null;
  /** Where no answer was given to this question: what answered for the one who is named, or that time did. */
  readonly rule?: ConsentRule;
  /** How far an answer reaches, where it is further than the one act. */
  readonly scope?: Exclude<ConsentScope, 'once'>;
  /** What a rule or a scope covers, as people see it. */
  readonly covers?: string;
}

/** Asks a person. Silence and the absence of anyone to ask are both a denial. */
export interface Approvals {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** What someone allowed for good. */
export interface StandingRule {
  /** Short, to be typed. */
  readonly id: string;
  readonly covers: string;
  readonly shown: string;
  readonly by: PersonId;
  readonly since: number;
}

/** What was allowed for good, kept in the home. A change by another process counts from the next look on. */
export interface StandingRules {
  /** Oldest first. Throws `bad-config` where the list cannot be read. */
  list(): readonly StandingRule[];
  /** The rule that covers just these acts; none where the list cannot be read. */
  find(covers: string): StandingRule | undefined;
  add(rule: Omit<StandingRule, 'id'>): Promise<StandingRule>;
  /** False where there is none of that id. */
  remove(id: string): Promise<boolean>;
}

/** What would become of a command, and why. */
export type CommandForecast =
  | {
      readonly type: 'safe';
      readonly within?: 'sandbox';
      readonly where?: Whereabouts;
      /** Of a command in the sandbox: what would become of the same call if it asked to leave. */
      readonly leaving?: CommandForecast;
    }
  | {
      readonly type: 'asks';
      readonly why: string;
      readonly standing: Standing | undefined;
      readonly where?: Whereabouts;
    }
  /** A `mistake` is nothing that is never done: it cannot be done so. */
  | { readonly type: 'refused'; readonly reason: string; readonly is?: 'mistake' }
  | { readonly type: 'allowed'; readonly rule: StandingRule; readonly where?: Whereabouts };

/** The rules of consent, without opening the store: works beside a running program. */
export interface ConsentDesk {
  readonly rules: StandingRules;
  /** Decides as a call in that folder would be, by a session whose shell is new; `outside` is one that asks to leave the sandbox. */
  forecast(command: string, folder: string, wish: 'inside' | 'outside'): Promise<CommandForecast>;
}

/** The rule that allows these acts for good, if there is one. Everyone who decides about a call decides by this. Pure. */
export function findRule({ covers, atMost }: Standing, rules: Pick<StandingRules, 'find'>): StandingRule | undefined {
  return atMost === 'always' ? rules.find(covers) : undefined;
}
