const mark = '[redacted]';

// Shapes of credentials that are recognised wherever they stand; exact values come on top of these.
const shapes: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\b[0-9]{8,12}:[A-Za-z0-9_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /(?<=\bBearer )[A-Za-z0-9._~+/=-]{12,}/g,
];

const shortestSecret = 8;

/** A function that replaces the given secrets, in any of their usual encodings, and everything shaped like one. */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const values = [...new Set([...secrets].filter((secret) => secret.length >= shortestSecret).flatMap(encodings))];
  const longestFirst = values.toSorted((left, right) => right.length - left.length);
  return (text) => {
    let clean = text;
    for (const value of longestFirst) clean = clean.replaceAll(value, mark);
    for (const shape of shapes) clean = clean.replaceAll(shape, mark);
    return clean;
  };
}

/** The same for secrets that become more while it is used. */
export function createGrowingRedactor(secrets: () => readonly string[]): (text: string) => string {
  let known = secrets();
  let redact = createRedactor(known);
  return (text) => {
    const now = secrets();
    if (now.length !== known.length) redact = createRedactor(now);
    known = now;
    return redact(text);
  };
}

function encodings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
}
