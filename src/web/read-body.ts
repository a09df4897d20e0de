import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { isJsonObject, parseJson } from '../base/json.ts';

/** The texts that a request must bring, by their names. Refuses the request where one is missing or is no text. */
export async function readBody<Name extends string>(
  c: Context,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const body = parseJson(await c.req.text());
  const entries = names.map((name) => {
    const value = isJsonObject(body) ? body[name] : undefined;
    if (typeof value !== 'string')
      throw new HTTPException(400, { message: `the body must be JSON with the text "${name}"` });
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
