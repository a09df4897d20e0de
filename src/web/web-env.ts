import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './logins.ts';

/** What a request carries along: who asks, once that is known, and the connection below it. */
export interface WebEnv {
  Bindings: HttpBindings;
  Variables: { caller: Caller };
}
