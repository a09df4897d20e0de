/** What a browser, or a person in its place, brings back from a login. */
export type RedirectAnswer =
  | { readonly type: 'code'; readonly code: string; readonly issuer: string | undefined }
  | { readonly type: 'refused'; readonly problem: string }
  /** It belongs to no login of ours: anyone can send such a thing. */
  | { readonly type: 'foreign' };

const longestReason = 200;

/** Reads the address that a login led back to. Only what carries the state of this login counts. Pure. */
export function readRedirect(parameters: URLSearchParams, state: string): RedirectAnswer {
  if (parameters.get('state') !== state) return { type: 'foreign' };
  const code = parameters.get('code');
  const error = parameters.get('error');
  if (error !== null) {
    const said = parameters.get('error_description') ?? error;
    return { type: 'refused', problem: `the login was refused: ${said.slice(0, longestReason)}` };
  }
  if (code === null || code === '') return { type: 'refused', problem: 'the login came back without a code' };
  return { type: 'code', code, issuer: parameters.get('iss') ?? undefined };
}

/** The same for an address that a person has copied: all of it, or what stands behind the question mark. Pure. */
export function readPasted(line: string, state: string): RedirectAnswer {
  const query = line
    .trim()
    .replace(/^[^?]*\?/, '')
    .replace(/#.*$/, '');
  return readRedirect(new URLSearchParams(query), state);
}
