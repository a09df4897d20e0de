const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago something was, in one short word; what is older than a month by its date. Pure. */
export function describeAge(at: number, now: number): string {
  const ago = now - at;
  if (ago < minuteMs) return 'now';
  if (ago < hourMs) return `${Math.floor(ago / minuteMs)} min`;
  if (ago < dayMs) return `${Math.floor(ago / hourMs)} h`;
  if (ago < 30 * dayMs) return `${Math.floor(ago / dayMs)} d`;
  return new Date(at).toISOString().slice(0, 10);
}
