/** A text file that somebody wrote for the model to read. */
export interface WrittenFile {
  readonly path: string;
  /** Without what nobody sees in it. */
  readonly text: string;
  /** How many invisible characters were taken out of it. */
  readonly hidden: number;
}

/** Instructions for one kind of work: of these the model is told no more than this, and reads the rest when it needs it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  /** The name of the folder that it is in. */
  readonly folder: string;
}

/** What people wrote for the model to read, as it was at one moment. */
export interface PromptMaterial {
  /** Who the agent is; undefined where nobody said. */
  readonly soul: WrittenFile | undefined;
  readonly skillFolder: string;
  /** Sorted by name. */
  readonly skills: readonly ListedSkill[];
  /** The same of the project; left out where it has none, or its folder is not trusted. */
  readonly projectSkills?: { readonly folder: string; readonly skills: readonly ListedSkill[] } | undefined;
  /** What a project asks of whoever works in it; empty where its folder is not trusted. */
  readonly context: readonly WrittenFile[];
  readonly memory: readonly WrittenFile[];
}

/** Where those parts of a system prompt come from that people write. */
export interface PromptSources {
  /** The trusted folders that a working folder is in, or is. Asked before every turn, so it has to be cheap. */
  trustedAround(workdir: string): readonly string[];
  /** Reads everything anew. What cannot be read is left out and reported; this does not reject. */
  read(workdir: string): Promise<PromptMaterial>;
}

/** The parts of a system prompt, in the order in which they stand in it: what changes least comes first. */
export const promptParts = ['identity', 'rules', 'skills', 'platform', 'place', 'context', 'memory', 'added'] as const;

export type PromptPartName = (typeof promptParts)[number];

/** How much of a system prompt one part is. Parts stand one behind the other, with `partGap` between them. */
export interface PromptPart {
  readonly name: PromptPartName;
  readonly characters: number;
}

export const partGap = '\n\n';
