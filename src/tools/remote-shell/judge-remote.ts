import { posix } from 'node:path';
import type { Risk } from '../../model/tool.ts';
import { mayHoldLogin } from '../login-files.ts';
import type { assessCommand as AssessCommand } from '../shell/assess-command.ts';
import type { BashSyntax } from '../shell/bash-syntax.ts';
import type { PlainRead } from '../shell/plain-reads.ts';
import type { findStanding as FindStanding } from '../shell/standing-command.ts';
import { walkFolders } from '../shell/walk-folders.ts';
import { spellOut, spellOutLine } from '../tool-outcomes.ts';
import type { Elsewhere } from './elsewhere.ts';

export interface RemoteSurroundings {
  readonly there: Pick<Elsewhere, 'name' | 'isSandbox'>;
  /** Where the command would run; undefined: where the first one does, which is not known yet. */
  readonly folder: string | undefined;
  readonly home: string | undefined;
  /** Where the session works on this machine. */
  readonly workdir: string;
  /** Names the variables of the shell there. */
  readonly environment: string | undefined;
  /** Whether programs are still looked for where they were when the session began. */
  readonly hasUsualPath: boolean;
}

/** The rules of a command, which are the same everywhere. */
export interface CommandRules {
  readonly assessCommand: typeof AssessCommand;
  readonly findStanding: typeof FindStanding;
  readonly syntax: BashSyntax;
}

/**
 * Whether a command may run elsewhere unasked. It is judged as on this machine; what would have to be looked up there is
 * taken as it reads. What cannot leave its container needs no question.
 */
export function judgeRemote(command: string, around: RemoteSurroundings, rules: CommandRules): Risk {
  const { there, folder = '/unknown', home = '/home/unknown' } = around;
  const risk = rules.assessCommand(command, { home, folder }, rules.syntax);
  if (risk.type === 'forbidden') return risk;
  const doubt = risk.type === 'ask' ? risk.why : findDoubt(risk.reads, folder, around);
  const where = { in: 'elsewhere', why: `commands run on ${there.name} (terminal.backend)` } as const;
  if (doubt === undefined) return { type: 'safe', where };
  if (there.isSandbox && doubt !== readsLogin) return { type: 'safe', within: 'sandbox', where };
  const shownFolder = around.folder === undefined ? 'its starting folder' : spellOutLine(around.folder);
  // The last line is ours, whatever the command and the folder are called.
  const question = `${spellOut(command)}\nin ${shownFolder} on ${spellOutLine(there.name)}`;
  const place = { folder, workdir: around.workdir, path: '', environment: around.environment };
  // For exactly this at most: which program a name means there cannot be seen from here.
  const standing = rules.findStanding({ ...place, command, words: undefined, manner: `on ${there.name}` });
  return { type: 'ask', question, why: doubt, standing, where };
}

const readsLogin = 'it reads what may log you in somewhere';

function findDoubt(reads: readonly PlainRead[], start: string, around: RemoteSurroundings): string | undefined {
  const { home = '/home/unknown' } = around;
  const locate = (path: string, from: string): string => posix.resolve(from, path.replace(/^~(?=\/|$)/, home));
  const placed = walkFolders(reads, start, (path, from) => [locate(path, from)]);
  const located = placed.flatMap(({ paths, folders }) =>
    folders.flatMap((folder) => paths.map((path) => locate(path, folder))),
  );
  if (located.some(mayHoldLogin)) return readsLogin;
  if (located.some((path) => /^\/(?:dev|proc|sys)(?:\/|$)/.test(path))) return 'it reads from the machine itself';
  // What is a folder there cannot be seen from here.
  if (reads.some(({ program }) => program === 'diff')) return 'a diff of folders shows files that it does not name';
  return around.hasUsualPath ? undefined : 'this session looks for programs in other places than at its beginning';
}
