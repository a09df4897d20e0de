/** A moment as people here write it: their own time, to the minute. What is no time stays as it is. Pure but for the time zone. */
export function localTime(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const [month, day, hours, minutes] = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()].map(
    (part) => String(part).padStart(2, '0'),
  );
  return `${date.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
}
