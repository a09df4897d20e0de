import type { LoginPerson } from '../../src/model/mcp-logins.ts';

/** A person whose browser agrees to whatever it is asked, and follows it to wherever that leads. */
export function agreeInBrowser(shown: string[] = []): LoginPerson {
  return {
    show(address) {
      shown.push(address);
      void fetch(address).catch(() => undefined);
    },
    pasted: nothing(),
    complain: () => undefined,
  };
}

/** Nobody pastes anything. */
export async function* nothing(): AsyncGenerator<string> {
  // Ends at once.
}
