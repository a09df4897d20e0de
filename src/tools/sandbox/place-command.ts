import type { ToolPlace } from '../../model/tool.ts';
import type { Enclosure } from '../shell/enclosure.ts';
import type { CommandResult } from '../shell/run-command.ts';
import { realPath } from '../real-path.ts';
import type { TaskState } from '../task-state.ts';
import { noteSandbox } from './sandbox-note.ts';
import { isWithin } from './sandbox-view.ts';
import type { Sandbox } from './sandbox.ts';

/** Where a command runs. */
export type CommandPlacement =
  /** In the system as it is. `leaves` is whether there is a sandbox that it does not run in, `advice` how to come by one. */
  | { readonly type: 'outside'; readonly leaves: boolean; readonly why: string; readonly advice?: string }
  | { readonly type: 'inside'; readonly room: Room; readonly why: string }
  | { readonly type: 'refused'; readonly reason: string };

/** The sandbox of a session, as a command finds it. */
export interface Room {
  readonly enclose: (requestFile: string) => Enclosure;
  /** The folder inside for a command that is to run in this one, or where the last one ended; or why there is none. */
  readonly folder: (asked: string | undefined) => { readonly folder: string } | { readonly problem: string };
  readonly noteResult: (result: CommandResult, command: string) => string | undefined;
  readonly noteStart: string;
}

export interface PlainReads {
  /** Where its words lead. */
  readonly paths: readonly string[];
  /** By their names, the places of files whose contents it shows. */
  readonly contents: readonly string[];
}

export interface PlacedCommand {
  /** Whether the model asks to leave the sandbox. */
  readonly wish: 'inside' | 'outside';
  /** What is read by a command that plainly does nothing else; undefined where it may do more. */
  readonly reads: PlainReads | undefined;
}

/**
 * Decides where a command runs, from nothing that another command could change meanwhile but the shell's folder: what was
 * judged to run inside never runs outside unasked. What only reads runs outside, where everything can be read, except for
 * what only the sandbox has, and for files in the folder that commands inside may write to: they could put a link in the
 * place of one after it was judged.
 */
export async function placeCommand(
  { wish, reads }: PlacedCommand,
  place: ToolPlace,
  sandbox: Sandbox,
  state: TaskState,
): Promise<CommandPlacement> {
  const fence = await sandbox.fence(place);
  if (fence.type === 'none') {
    const none = { type: 'outside', leaves: false, why: `there is no sandbox: ${fence.reason}` } as const;
    return fence.cause === 'folder' ? { ...none, advice: `No sandbox here: ${fence.reason}. ${workInProject}` } : none;
  }
  if (fence.type === 'required') {
    return { type: 'refused', reason: `commands run only in the sandbox (terminal.sandbox), and ${fence.reason}` };
  }
  const standsInside = sandbox.isPrivate(state.recordedFolder(place), place);
  const why =
    whyInside(reads, place, sandbox) ?? (standsInside ? 'the shell stands in a folder of its own' : undefined);
  // Such a read is not asked about, and finds the same inside.
  const isWished = wish === 'outside' && (reads === undefined || !readsOwnFiles(reads, place));
  if (isWished) return { type: 'outside', leaves: true, why: 'the call asks to leave the sandbox (outside: true)' };
  if (why === undefined) return { type: 'outside', leaves: true, why: 'it only reads' };
  const room: Room = {
    enclose: (requestFile) => sandbox.enclose(place, requestFile, fence.report),
    folder: (asked) => findFolder(asked, place, sandbox, state),
    noteResult: (result, command) =>
      noteSandbox(result, { limits: sandbox.describe(place), difference: sandbox.findDifference(command, place) }),
    noteStart: sandbox.describeProcess(),
  };
  return { type: 'inside', room, why };
}

function whyInside(reads: PlainReads | undefined, place: ToolPlace, sandbox: Sandbox): string | undefined {
  if (reads === undefined) return 'it may do more than read';
  if (readsOwnFiles(reads, place)) return 'it shows files of a folder that commands inside may write to';
  const isElsewhere = reads.paths.some((path) => sandbox.isPrivate(path, place));
  return isElsewhere ? 'it reads in a place that the sandbox has for itself' : undefined;
}

/** Whether it shows files of the folder that commands inside may write to. */
function readsOwnFiles({ contents }: PlainReads, { workdir }: ToolPlace): boolean {
  return contents.some((path) => isWithin(path, [workdir, realPath(workdir)]));
}

const workInProject =
  'In a session that was opened in the folder of a project (telegram.workdir, web.workdir) commands run in one, without a question.';

function findFolder(
  asked: string | undefined,
  place: ToolPlace,
  sandbox: Sandbox,
  state: TaskState,
): { readonly folder: string } | { readonly problem: string } {
  const last = state.recordedFolder(place);
  const isPrivate = sandbox.isPrivate(last, place);
  const wanted = asked ?? (isPrivate ? last : state.currentFolder(place));
  const folder = sandbox.findFolder(wanted, place);
  if (folder !== undefined) return { folder };
  // A private folder that is gone.
  if (asked === undefined && isPrivate) return { folder: place.workdir };
  return {
    problem: `the sandbox does not show ${wanted}; set workdir to ${place.workdir} or below, or call again with outside: true, and the user is asked`,
  };
}
