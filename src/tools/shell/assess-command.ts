import { findDisaster } from './find-disaster.ts';
import { findPlainRead } from './plain-reads.ts';

export type CommandRisk =
  /** It only reads; `paths` are the words that may name what it reads. */
  | { readonly type: 'safe'; readonly program: string; readonly paths: readonly string[] }
  | { readonly type: 'ask' }
  | { readonly type: 'forbidden'; readonly reason: string };

export interface CommandSurroundings {
  readonly home: string;
  readonly folder: string;
}

/** Whether a command may run unasked, must be asked about, or never runs. Whatever is not plainly harmless is asked. Pure. */
export function assessCommand(command: string, surroundings: CommandSurroundings): CommandRisk {
  const disaster = findDisaster(command, { ...surroundings, variables: new Map() });
  if (disaster !== undefined) {
    const advice = 'It never runs here, whoever agrees; the user can run it by hand outside Talaria.';
    return { type: 'forbidden', reason: `this command means ${disaster}. ${advice}` };
  }
  const reading = findPlainRead(command);
  return reading === undefined ? { type: 'ask' } : { type: 'safe', ...reading };
}
