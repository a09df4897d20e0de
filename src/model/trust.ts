/** A folder whose files may speak to the model, and since when. */
export interface TrustedFolder {
  /** Absolute, with all links followed. */
  readonly path: string;
  readonly since: number;
}

/** What a project would have started, or asked, for its tools. */
export interface ShownServer {
  readonly name: string;
  readonly place: string;
}

export type Trusting =
  | {
      readonly type: 'trusted';
      readonly path: string;
      readonly state: 'new' | 'known';
      /** What is read there now, and how many invisible characters are taken out of each. */
      readonly files: readonly { readonly path: string; readonly hidden: number }[];
      /** The MCP servers that its file names, which count as they are now and no otherwise. */
      readonly servers: readonly ShownServer[];
      /** Why there are none, where there is such a file. */
      readonly serversProblem: string | undefined;
      /** The names of its skills. */
      readonly skills: readonly string[];
    }
  /** So much would be trusted with it that it has to be said in so many words. */
  | { readonly type: 'sweeping'; readonly path: string; readonly reason: string };

export interface Distrusting {
  readonly path: string;
  readonly wasListed: boolean;
  /** The trusted folder around it through which it is trusted still. */
  readonly through: string | undefined;
}

/** Which project folders are trusted. Changed by hand only; works beside a running program. */
export interface TrustDesk {
  /** By path. Throws `bad-config` where the list cannot be read, and so do the others. */
  list(): readonly TrustedFolder[];
  /** Throws `not-found` where there is no such folder. */
  trust(folder: string, breadth: 'one-project' | 'everything'): Promise<Trusting>;
  distrust(folder: string): Promise<Distrusting>;
}
