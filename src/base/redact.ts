const mark = '[redacted]';

/** Stands for a key of ours in what the model reads. Nobody writes it by chance, so that it can be kept out of files. */
export const keyMark = '[key redacted by talaria]';

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

type Redact = (text: string) => string;

/** A function that replaces the given secrets, in any of their usual encodings, and everything shaped like one. */
export function createRedactor(secrets: Iterable<string>): Redact {
  const replaceValues = createReplacer([...secrets], mark);
  return (text) => {
    let clean = replaceValues(text);
    for (const shape of shapes) clean = clean.replaceAll(shape, mark);
    return clean;
  };
}

/** The same for secrets that become more, or others, while it is used. */
export function createGrowingRedactor(secrets: () => readonly string[]): Redact {
  return keepUp(secrets, createRedactor);
}

/**
 * Replaces nothing but our own keys, by their values: what only looks like a key may be what a person is working on. An
 * address or a path that stands among the keys is left alone.
 */
export function createKeyRedactor(secrets: () => readonly string[]): Redact {
  return keepUp(secrets, (known) => createReplacer(known.filter(isKeyLike), keyMark));
}

const shortestKey = 12;

function isKeyLike(secret: string): boolean {
  return secret.length >= shortestKey && !/\s|:\/\/|^[/~.]/.test(secret);
}

function createReplacer(secrets: readonly string[], sign: string): Redact {
  const longestFirst = secretForms(secrets).toSorted((left, right) => right.length - left.length);
  return (text) => {
    let clean = text;
    for (const value of longestFirst) clean = clean.replaceAll(value, sign);
    return clean;
  };
}

function keepUp(secrets: () => readonly string[], make: (known: readonly string[]) => Redact): Redact {
  let known = secrets();
  let redact = make(known);
  return (text) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) redact = make(now);
    known = now;
    return redact(text);
  };
}

/** The secrets as they may be written, but for those that are too short to be told from other text. */
export function secretForms(secrets: Iterable<string>): readonly string[] {
  return [...new Set([...secrets].filter((secret) => secret.length >= shortestSecret).flatMap(encodings))];
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
