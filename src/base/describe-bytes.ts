const units = ['KB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: "34 KB", "3.75 MB". Rounded up, so that what is over a limit never reads like the limit. Pure. */
export function describeBytes(bytes: number): string {
  let amount = bytes / 1024;
  let step = 0;
  for (; Math.ceil(amount) >= 1024 && step < units.length - 1; step += 1) amount /= 1024;
  const digits = step === 0 ? 1 : 100;
  return `${Math.ceil(amount * digits) / digits} ${units[step] ?? ''}`;
}
