import type { Risk, ToolPlace } from '../../model/tool.ts';
import { isFolder } from '../is-folder.ts';
import type { Workspace } from '../workspace.ts';
import type { PlainRead } from './plain-reads.ts';
import { isSystemProgram } from './system-program.ts';
import { walkFolders } from './walk-folders.ts';
import type { PlacedRead } from './walk-folders.ts';

/** What a command is by its words. */
export type Verdict =
  | {
      /** Its commands only read; `located` is where their words lead from their folders. */
      readonly type: 'safe';
      readonly commands: readonly PlacedRead[];
      readonly located: readonly string[];
    }
  | { readonly type: 'doubtful'; readonly why: string; readonly words?: readonly string[] }
  | Extract<Risk, { readonly type: 'forbidden' }>;

export interface ReadSurroundings {
  readonly workspace: Workspace;
  readonly place: ToolPlace;
  readonly folder: string;
  /** The shell's own PATH and CDPATH. */
  readonly path: string;
  readonly foldersOfCd: string;
}

/** Whether commands that only read may do so here. */
export function judgeReads(reads: readonly PlainRead[], around: ReadSurroundings): Verdict {
  const { workspace, place } = around;
  const commands = walkFolders(reads, around.folder, (path, from) => [
    workspace.nameOf(path, from),
    workspace.locate(path, place, from),
  ]);
  const located = commands.flatMap(({ paths, folders }) =>
    folders.flatMap((folder) => paths.map((path) => workspace.locate(path, place, folder))),
  );
  const risks = located.map((path) => workspace.judgeRead(path));
  const secret = risks.find((risk) => risk.type === 'forbidden');
  if (secret !== undefined) return secret;
  const why = (): string | undefined => {
    if (risks.some((risk) => risk.type !== 'safe')) return 'it reads what may log you in somewhere';
    if (located.some((path) => /^\/(?:dev|proc|sys)(?:\/|$)/.test(path))) return 'it reads from the machine itself';
    const comparesFolders = commands.some(({ program }) => program === 'diff') && located.some(isFolder);
    if (comparesFolders) return 'a diff of folders shows files that it does not name';
    const isLed = around.foldersOfCd !== '' && commands.some(({ program }) => program === 'cd');
    if (isLed) return 'CDPATH leads cd to other folders';
    const foreign = commands.find(({ program }) => !isSystemProgram(program, around.path));
    return foreign && `${foreign.program} is not the program of the system here`;
  };
  const doubt = why();
  return doubt === undefined ? { type: 'safe', commands, located } : { type: 'doubtful', why: doubt };
}
