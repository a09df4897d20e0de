import type { Socket } from 'node:net';
import { AppError, describeError, systemErrorCode } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { describeProblems } from '../../model/schema.ts';
import { callAnswers } from './answer-calls.ts';
import type { AttachDeps, Caller } from './answer-calls.ts';
import { AttachedSeat } from './attached-seat.ts';
import type { SeatOptions } from './attached-seat.ts';
import type { AttachedSeats } from './attached-seats.ts';
import { callSchemas, isCallName } from './calls.ts';
import type { CallName, CallParams, CallResults } from './calls.ts';
import { FrameWriter } from './frame-writer.ts';
import { readFrames } from './frames.ts';

const mostCallsAtOnce = 100;

/** Another program of the same user that is attached: its calls, and the seat that it may have taken. */
export class AttachedProgram implements Caller {
  readonly deps: AttachDeps;
  readonly seats: AttachedSeats;
  readonly #connection: Socket;
  readonly #writer: FrameWriter;
  readonly #leaving = new DisposableStack();
  #seat: AttachedSeat | undefined;
  #calls = 0;

  constructor(connection: Socket, deps: AttachDeps, seats: AttachedSeats) {
    this.deps = deps;
    this.seats = seats;
    this.#connection = connection;
    this.#writer = new FrameWriter(connection);
  }

  /** Answers calls until the other side is gone, or says something that makes no sense. Turns go on without it. */
  async serve(): Promise<void> {
    using _leaving = this.#leaving;
    try {
      for await (const frame of readFrames(this.#connection)) this.#take(frame);
    } catch (thrown) {
      // One that breaks off is simply gone.
      if (systemErrorCode(thrown) === undefined)
        this.deps.log.write('warn', 'an attached terminal was cut off', { reason: describeError(thrown) });
    } finally {
      this.#connection.destroy();
    }
  }

  get seat(): AttachedSeat {
    if (this.#seat === undefined) throw new AppError('bad-usage', 'this program has taken no seat');
    return this.#seat;
  }

  sit(options: SeatOptions): void {
    if (this.#seat !== undefined) throw new AppError('bad-usage', 'this program has a seat');
    const seat = new AttachedSeat(options, this.#writer);
    this.#seat = seat;
    this.#leaving.use(this.seats.take(seat));
    this.#leaving.use(
      this.deps.gateway.watch(seat.address, (turn, event) => this.#writer.push({ type: 'event', turn, event })),
    );
  }

  #take({ type, id, method, params }: JsonObject): void {
    if (type !== 'call' || typeof id !== 'number') throw new Error('that is no call');
    if (this.#calls >= mostCallsAtOnce) throw new Error('too many calls at once');
    void this.#answer(id, method, params);
  }

  async #answer(
    id: number,
    method: JsonObject[string] | undefined,
    params: JsonObject[string] | undefined,
  ): Promise<void> {
    this.#calls += 1;
    try {
      if (!isCallName(method)) throw new AppError('unsupported', 'the gateway does not know that call');
      await this.#writer.returns(id, await this.#run(method, params));
    } catch (thrown) {
      const code = thrown instanceof AppError ? { code: thrown.code } : undefined;
      this.#writer.push({ type: 'threw', id, ...code, message: describeError(thrown) });
    } finally {
      this.#calls -= 1;
    }
  }

  async #run<Name extends CallName>(name: Name, params: JsonObject[string] | undefined): Promise<CallResults[Name]> {
    const parsed = callSchemas[name].parse(params);
    if (parsed.type === 'invalid') throw new AppError('bad-usage', `${name}: ${describeProblems(parsed.problems)}`);
    return await callAnswers[name](parsed.value as CallParams<Name>, this);
  }
}
