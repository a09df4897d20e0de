import { basename } from 'node:path';
import { isInside } from '../../base/is-inside.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { stableJson } from '../../base/json.ts';
import type { Standing } from '../../model/tool.ts';
import { realPath } from '../real-path.ts';
import { spellOutLine } from '../tool-outcomes.ts';
import { findPrefix, isNeverStanding } from './command-prefix.ts';
import { findProgram } from './system-program.ts';

export interface CommandPlace {
  readonly command: string;
  /** The words of the command, where it is one simple command that means exactly what it says. */
  readonly words: readonly string[] | undefined;
  readonly folder: string;
  /** Where the model may write unasked. */
  readonly workdir: string;
  readonly path: string;
  /** Names the variables of the shell; undefined where they are those that every new shell gets. */
  readonly environment: string | undefined;
  /** How it runs, where it is not the usual way. */
  readonly manner: string | undefined;
}

// What does not fit on a line of a telephone is not read.
const longestShown = 120;

/** What can be agreed to beyond one run of a command: commands that begin like it, or the same command in the same place. */
export function findStanding(place: CommandPlace): Standing {
  const { command, folder, environment = null, manner = null } = place;
  const same = stableJson({ tool: 'terminal', command, folder, environment, manner });
  return findLasting(place) ?? { covers: same, shown: 'exactly this, in this folder', label: '', atMost: 'session' };
}

/**
 * Bound to the program that the name means now, and to the folder: another repository has other remotes, other hooks and
 * other scripts. With variables of its own a shell may make any program do something else.
 */
function findLasting({ words = [], folder, workdir, path, ...place }: CommandPlace): Standing | undefined {
  // What goes on in the background is started once, and looked after.
  const isUsual = place.environment === undefined && place.manner === undefined;
  const prefix = isUsual ? findPrefix(words) : undefined;
  const program = prefix && findProgram(prefix.words[0] ?? '', path);
  if (prefix === undefined || program === undefined) return undefined;
  if (isInside(program, realPath(workdir)) || isNeverStanding(basename(program))) return undefined;
  const written = spellOutLine(prefix.words.map(quoteForShell).join(' '));
  const label = prefix.rest === 'any' ? `${written} …` : written;
  if (label.length > longestShown) return undefined;
  const covers = stableJson({ tool: 'terminal', words: prefix.words, rest: prefix.rest, program, folder });
  const shown = `${label} (${spellOutLine(program)}) in ${spellOutLine(folder)}`;
  return { covers, shown, label, atMost: 'always' };
}
