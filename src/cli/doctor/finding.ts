import { quoteForShell } from '../../base/quote-for-shell.ts';

/**
 * `fine`: it works. `note`: nothing is wrong, and it is good to know. `hint`: it works, and could be better. `broken`: it
 * does not work.
 */
export type Level = 'fine' | 'note' | 'hint' | 'broken';

export interface Finding {
  readonly level: Level;
  readonly name: string;
  readonly text: string;
  /** The command that changes it. */
  readonly fix?: string | undefined;
}

export interface FindingGroup {
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Opens a file in the user's editor, at a line where one is known. Pure. */
export function editCommand(path: string, line?: string): string {
  return `\${EDITOR:-vi} ${line === undefined ? '' : `+${line} `}${quoteForShell(path)}`;
}
