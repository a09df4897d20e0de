/**
 * What sets a command apart, whatever it may see: namespaces and a network of its own, no capabilities, and nothing that it
 * could win them by. It goes when whoever started bubblewrap goes, which is never the program itself.
 */
export const namespaceArguments: readonly string[] = [
  '--unshare-all',
  '--unshare-user',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
];

/** Closes the way to further user namespaces, in which old defects of the kernel were found. Since bubblewrap 0.8. */
export const closedArguments: readonly string[] = ['--disable-userns'];

/** Puts the signal back that the outermost process ignores. Since coreutils 8.31; other systems have no such program. */
export const defaultSignals: readonly string[] = ['env', '--default-signal=TERM'];
