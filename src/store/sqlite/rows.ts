import type { RunJob } from './group-commit.ts';

/** A port without its promises: the same methods, each done when it returns. What runs here could run in a worker. */
export type Rows<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...values: infer Values) => Promise<infer Result>
    ? (...values: Values) => Result
    : never;
};

type Method = (...values: readonly unknown[]) => unknown;

/** The port over its rows: every method is a job for `run`. */
export function toPort<Port extends object>(rows: Rows<Port>, reads: readonly (keyof Port)[], run: RunJob): Port {
  const names = Object.keys(rows) as (keyof Port)[];
  const methods = names.map((name) => {
    const work = rows[name] as Method;
    const access = reads.includes(name) ? 'read' : 'write';
    return [name, (...values: readonly unknown[]) => run(access, () => work(...values))];
  });
  return Object.fromEntries(methods) as Port;
}
