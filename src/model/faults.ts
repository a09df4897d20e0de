/** The moments between a record and its act where a crash hurts most. Tests kill the process there. */
export const faultPoints = [
  'admitted',
  'claimed',
  'step-asked',
  'answer-streaming',
  'step-finished',
  'approval-asked',
  'approval-answered',
  'tool-called',
  'tool-ran',
  'tool-settled',
  'turn-settled',
  'reply-sending',
  'reply-sent',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/** Absent in production; a test injects one that kills or fails. */
export interface Faults {
  reach(point: FaultPoint): Promise<void>;
}
