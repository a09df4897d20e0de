import type { JsonObject } from './json.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Where the program reports what it does. Fields are redacted before they reach a sink. */
export interface Log {
  write(level: LogLevel, message: string, fields?: JsonObject): void;
}

export type LogSink = (line: string) => void;

export const silentLog: Log = { write: () => undefined };

/** A log of one JSON object a line, with every known secret and everything shaped like one taken out. */
export function createLog(sink: LogSink, now: () => number, redact: (text: string) => string): Log {
  return {
    write(level, message, fields) {
      sink(redact(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields })));
    },
  };
}
