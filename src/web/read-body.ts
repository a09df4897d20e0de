import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { isJsonObject, parseJson } from '../base/json.ts';

/**
 * The texts that a request must bring, by their names, and those that it may bring. Refuses the request where one is missing
 * or is no text.
 */
export async function readBody<Name extends string, Extra extends string = never>(
  c: Context,
  names: readonly Name[],
  extras: readonly Extra[] = [],
): Promise<Readonly<Record<Name, string>> & Readonly<Partial<Record<Extra, string>>>> {
  const body = parseJson(await c.req.text());
  const fields = isJsonObject(body) ? body : {};
  const brought = extras.filter((name) => fields[name] !== undefined);
  const entries = [...names, ...brought].map((name) => {
    const value = fields[name];
    if (typeof value !== 'string')
      throw new HTTPException(400, { message: `the body must be JSON with the text "${name}"` });
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string> & Partial<Record<Extra, string>>;
}
