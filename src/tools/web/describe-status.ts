/** What a server answered, in words of ours: "404 (Not Found)". */
export function describeStatus(status: number): string {
  // An import would run every lazy export of it, the whole of the built-in fetch included.
  const words = process.getBuiltinModule('node:http').STATUS_CODES[status];
  return words === undefined ? String(status) : `${status} (${words})`;
}
