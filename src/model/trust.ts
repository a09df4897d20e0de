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

/** What would count in a folder if it were trusted, looked at before anybody says so. */
export type TrustLook =
  | {
      readonly type: 'seen';
      readonly path: string;
      /** `known`: it is trusted as it is; `changed`: it is, but for the file of its MCP servers, which says something else now. */
      readonly state: 'new' | 'changed' | 'known';
      /** What would be read there, and how many invisible characters are taken out of each. */
      readonly files: readonly { readonly path: string; readonly hidden: number }[];
      /** The MCP servers that its file names, which count as they are now and no otherwise. */
      readonly servers: readonly ShownServer[];
      /** Why there are none, where there is such a file. */
      readonly serversProblem: string | undefined;
      /** The file that names them, as it was looked at: it counts with these contents alone. */
      readonly serversFile: SeenFile | undefined;
      /** The names of its skills. */
      readonly skills: readonly string[];
    }
  /** So much would be trusted with it that it has to be said in so many words. */
  | { readonly type: 'sweeping'; readonly path: string; readonly reason: string };

/** A file that was looked at when its folder was trusted, and what it said then. */
export interface SeenFile {
  readonly path: string;
  readonly digest: string;
}

export type SeenFolder = Extract<TrustLook, { readonly type: 'seen' }>;

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
  /** Changes nothing. Throws `not-found` where there is no such folder. */
  look(folder: string, breadth: 'one-project' | 'everything'): Promise<TrustLook>;
  /** Trusts a folder as it was seen, and nothing that came into the file of its servers since. */
  trust(seen: SeenFolder): Promise<void>;
  distrust(folder: string): Promise<Distrusting>;
}
