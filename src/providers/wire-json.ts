/**
 * JSON that every server takes. Half a surrogate pair is no character: servers answer it with an error that names no cause,
 * so that another character stands for it.
 */
export function wireJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Nothing but half a pair is escaped like this, and hardly a text has one: looking at each of them takes long.
  return text.includes('\\ud') ? JSON.stringify(value, mendText) : text;
}

function mendText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
