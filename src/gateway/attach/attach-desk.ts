import type { Socket } from 'node:net';
import type { JsonObject } from '../../base/json.ts';
import type { AttachDeps } from './answer-calls.ts';
import { AttachedProgram } from './attached-program.ts';
import { AttachedSeats } from './attached-seats.ts';
import { encodeFrame, protocolVersion } from './frames.ts';

export interface AttachDesk extends Disposable {
  /** Serves a program that has said hello, for as long as it stays. One that speaks otherwise is told and let go. */
  readonly welcome: (hello: JsonObject, connection: Socket) => Promise<void>;
}

export interface AttachDeskDeps extends AttachDeps {
  /** What whoever attaches should know, and does not see in the file of the settings, which they read themselves. */
  readonly warnings: readonly string[];
}

/** Where terminals of the same user attach to the gateway. To be closed before their connections are. */
export function createAttachDesk(deps: AttachDeskDeps): AttachDesk {
  const seats = new AttachedSeats(deps.gateway);
  return {
    async welcome(hello, connection) {
      if (hello['protocol'] !== protocolVersion) {
        connection.end(encodeFrame({ type: 'refused', protocol: protocolVersion }));
        return;
      }
      connection.write(encodeFrame({ type: 'welcome', protocol: protocolVersion, warnings: deps.warnings }));
      await new AttachedProgram(connection, deps, seats).serve();
    },
    [Symbol.dispose]: () => seats[Symbol.dispose](),
  };
}
