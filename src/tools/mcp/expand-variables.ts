export type Expanded =
  | { readonly type: 'whole'; readonly values: Readonly<Record<string, string>> }
  | { readonly type: 'missing'; readonly names: readonly string[] };

/** Fills `${NAME}` in with what is kept under that name. One that nobody knows is not left as it is: it would be sent. */
export function expandVariables(
  values: Readonly<Record<string, string>>,
  lookUp: (name: string) => string | undefined,
): Expanded {
  const missing = new Set<string>();
  const expand = (value: string): string =>
    value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
      const found = lookUp(name);
      if (found === undefined) missing.add(name);
      return found ?? '';
    });
  const expanded = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, expand(value)]));
  return missing.size > 0 ? { type: 'missing', names: [...missing] } : { type: 'whole', values: expanded };
}
