import type { Verdict } from '../model/turn.ts';

/** Only a plain yes is a yes; a no and an empty line are a no. Whoever writes more has something to say. Pure. */
export function readVerdict(line: string): Verdict | 'unclear' {
  const answer = line.trim().toLowerCase();
  if (answer === 'y' || answer === 'yes') return 'approved';
  return answer === '' || answer === 'n' || answer === 'no' ? 'denied' : 'unclear';
}
