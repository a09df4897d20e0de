import { describeResult } from '../../gateway/drain.ts';
import type { Outbound } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';
import type { ProcessPort } from '../app-port.ts';
import { failureLine } from '../failure-line.ts';
import type { RunOutput, RunStart } from './run-output.ts';
import type { Said } from './talk.ts';

/** Everything as JSON lines on stdout, in the shape that `talaria help json` promises. */
export class JsonOutput implements RunOutput {
  readonly #process: Pick<ProcessPort, 'stdout' | 'stderr'>;
  #lastNotice: string | undefined;

  constructor(process: Pick<ProcessPort, 'stdout' | 'stderr'>) {
    this.#process = process;
  }

  started({ model }: RunStart): void {
    this.#write({ type: 'started', model });
  }

  note(text: string): void {
    this.#process.stderr.write(`${text}\n`);
  }

  take(turn: TurnRef, event: StepEvent): void {
    this.#write(describeEvent(turn, event));
  }

  /** The last line says how the turn ended; what is delivered says more only where the turn did not end. */
  show({ kind, text }: Outbound): void {
    if (kind === 'notice') this.#lastNotice = text;
  }

  finish(said: Said, exitCode: number): void {
    const ok = exitCode === 0;
    switch (said.type) {
      case 'settled':
        this.#write({
          type: 'settled',
          ok,
          exitCode,
          ...said.turn,
          result: said.result,
          text: describeResult(said.result),
        });
        return;
      case 'answered':
        this.#write({ type: 'settled', ok, exitCode, text: said.text });
        return;
      case 'put-off':
        this.#fail('put-off', this.#lastNotice ?? 'the turn was put off; it goes on with the next start', exitCode);
        return;
      case 'left':
        this.#fail('ended', 'a signal ended the program; the turn goes on with the next start', exitCode);
        return;
      case 'refused':
        this.#fail('refused', said.reason, exitCode);
        return;
      case 'ignored':
        this.#fail('ignored', 'there was nothing to do', exitCode);
        return;
    }
  }

  #fail(code: string, message: string, exitCode: number): void {
    this.#process.stdout.write(failureLine({ code, message }, exitCode));
  }

  #write(value: object): void {
    this.#process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}

function describeEvent(turn: TurnRef, event: StepEvent): object {
  if (event.type !== 'entry') return { ...event, turnId: turn.turnId };
  const { seq, at, entry } = event.logged;
  return { type: 'entry', turnId: turn.turnId, seq, at, entry };
}
