import type { PersonId } from '../base/ids.ts';
import type { Approvals } from '../model/approvals.ts';
import type { Questions } from '../model/questions.ts';
import type { Blobs } from '../model/store.ts';
import type { Tool, ToolPlace } from '../model/tool.ts';
import type { StepEvent } from '../model/turn.ts';
import type { Recorder } from './recorder.ts';

/** What the calls of a turn need to be run. */
export interface ToolDeps {
  readonly recorder: Recorder;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly blobs: Pick<Blobs, 'read' | 'put'>;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly place: ToolPlace;
  readonly person: PersonId;
  readonly emit: (event: StepEvent) => void;
}
