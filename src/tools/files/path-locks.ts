/** Lets one piece of work at a time touch a path; the others wait in the order in which they came. */
export class PathLocks {
  readonly #last = new Map<string, Promise<void>>();

  async run<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(path);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(path, promise);
    await before;
    try {
      return await work();
    } finally {
      if (this.#last.get(path) === promise) this.#last.delete(path);
      resolve();
    }
  }
}
