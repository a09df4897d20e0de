/** What can be seen of a home without touching it. */
export interface HomeState {
  /** `unusable`: the program would refuse it, and says why. */
  readonly folder:
    | { readonly type: 'missing' }
    | { readonly type: 'there' }
    | { readonly type: 'unusable'; readonly problem: string };
  /** What others can reach, and the permissions that it should have. */
  readonly openToOthers: readonly { readonly path: string; readonly mode: number; readonly wanted: number }[];
  /** What kind of shared file system it is on; undefined on a disk of this machine. */
  readonly sharedBy: string | undefined;
  readonly freeBytes: number;
}

export interface AdmittedPerson {
  readonly person: string;
  readonly role: string;
}

/** What can be seen of a store without owning it. */
export type StoreState =
  | { readonly type: 'none' }
  /** Another process has it: nothing but its size was looked at. */
  | { readonly type: 'held'; readonly bytes: number }
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'unchecked'; readonly bytes: number; readonly reason: string }
  | {
      readonly type: 'damaged';
      readonly problem: string;
      readonly folder: string;
      /** The newest copy. */
      readonly backup: string | undefined;
    }
  | {
      readonly type: 'sound';
      readonly bytes: number;
      readonly version: number;
      readonly newestVersion: number;
      /** Who was let in; undefined where the schema is not ours. */
      readonly people: readonly AdmittedPerson[] | undefined;
    };
