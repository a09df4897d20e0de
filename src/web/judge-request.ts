/** What of a request says where it comes from. */
export interface RequestMarks {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`: browsers send them, and no page can change them. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly contentType: string | undefined;
}

export type RequestVerdict =
  | { readonly type: 'passed' }
  | { readonly type: 'refused'; readonly status: 403 | 415 | 421; readonly reason: string };

/**
 * Whether a request can come from our own page or from a program of the owner. Pure. A name that points at this machine
 * (DNS rebinding), another site, and another port of this machine are all someone else.
 */
export function judgeRequest(marks: RequestMarks, allowedHosts: ReadonlySet<string>): RequestVerdict {
  const { method, path, origin, site, mode, contentType } = marks;
  const host = marks.host?.toLowerCase() ?? '';
  if (!allowedHosts.has(host))
    return { type: 'refused', status: 421, reason: 'this name is not served; web.allowed_hosts lists more of them' };
  if (origin !== undefined && hostOf(origin) !== host) return fromElsewhere;
  const isVisit = method === 'GET' && mode === 'navigate' && !path.startsWith('/api/');
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit) return fromElsewhere;
  if (method !== 'GET' && method !== 'HEAD' && !isJson(contentType))
    return { type: 'refused', status: 415, reason: 'the body must be application/json' };
  return { type: 'passed' };
}

const fromElsewhere: RequestVerdict = { type: 'refused', status: 403, reason: 'this comes from another site' };

function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined;
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
