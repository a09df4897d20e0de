/** What a shell runs in, where that is not the system as it is. */
export interface Enclosure {
  /** Words of bash for the shell that is going to read `launch`, before it is known what that is. Empty: there is nothing to do. */
  readonly ready: string;
  /** Files by their names, which `launch` finds in the folder that it is read in. */
  readonly files: Readonly<Record<string, string>>;
  /** Words of bash that start a program inside, in the place of the shell that reads them; the program follows. */
  readonly launch: string;
  /** What earlier commands left, as it is called inside. */
  readonly stateFiles: readonly string[];
  /** The request of the call, as it is called inside. */
  readonly requestFile: string;
  /** What a shell does inside before, and after, it takes up the state. */
  readonly before: string;
  readonly after: string;
}
