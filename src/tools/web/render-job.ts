/** What is done away from the rest of the program: text from outside could keep it busy for long. */
export type RenderJob =
  | { readonly type: 'page'; readonly html: string; readonly url: string }
  /** The words of a page alone, which are had with little effort. */
  | { readonly type: 'words'; readonly html: string }
  | { readonly type: 'pdf'; readonly bytes: Uint8Array }
  /** The hits on a page of results of DuckDuckGo. */
  | { readonly type: 'hits'; readonly html: string };

export type Rendered =
  | { readonly type: 'text'; readonly title: string; readonly text: string }
  | { readonly type: 'hits'; readonly hits: readonly SearchHit[]; readonly page: 'results' | 'challenge' | 'unknown' }
  | { readonly type: 'failed'; readonly reason: string };

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}
