import type { GatewayStatus } from '../../gateway/gateway-status.ts';

/** Why the gateway last failed to start. */
export interface StartFailure {
  readonly at: string;
  readonly exitCode: number;
  readonly reason: string;
}

/** What can be seen of the gateway from outside its process, and where it keeps things. */
export interface GatewayView {
  readonly home: string;
  readonly logs: string;
  /** How long running turns get to end. */
  readonly drainMs: number;
  /** `guess`: the settings cannot be read, and say nothing about what was installed by them. */
  readonly drainFrom: 'settings' | 'guess';
  /** Asks the gateway that runs on this home; undefined where none does. Throws where it does not answer. */
  status(): Promise<GatewayStatus | undefined>;
  /** The process that holds the home, whatever it does there. */
  holder(): { readonly pid: number; readonly since: string } | undefined;
  lastFailure(): StartFailure | undefined;
}
