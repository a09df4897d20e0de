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
  const longestFirst = findForms(secrets).toSorted((left, right) => right.text.length - left.text.length);
  return (text) => {
    let clean = text;
    // To look for a plain text costs a fraction of what a pattern does, and nearly always that is all.
    for (const form of longestFirst) if (clean.includes(form.text)) clean = clean.replaceAll(form.whole, sign);
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
  return findForms(secrets).map(({ text }) => text);
}

/** A way in which a secret may be written. */
interface Form {
  readonly text: string;
  /** What is taken out where the text stands. */
  readonly whole: string | RegExp;
}

function findForms(secrets: Iterable<string>): readonly Form[] {
  const known = [...secrets].filter((secret) => secret.length >= shortestSecret);
  const forms = known.flatMap((secret) => [...encodings(secret), ...piecesOfBase64(secret)]);
  return [...new Map(forms.map((form) => [form.text, form])).values()];
}

function encodings(secret: string): readonly Form[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const texts = [
    secret,
    bytes.toString('base64'),
    hex,
    hex.toUpperCase(),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
  return texts.map((text) => ({ text, whole: text }));
}

// In base64 less than this could be a part of something else.
const shortestEncoded = 16;

/**
 * A secret in the midst of what was encoded, as in `Authorization: Basic`, with either alphabet. It begins at one of three places
 * in a group of characters, and comes out alike but for one character at each end, which it shares with what stands beside it.
 */
function piecesOfBase64(secret: string): readonly Form[] {
  if (secret.length < shortestEncoded) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const head = before === 0 ? '' : shared;
    const tail = bytes.length % 3 === 0 ? '' : `${shared}={0,2}`;
    const alphabets = (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(start, end));
    return alphabets.map((text) => ({ text, whole: new RegExp(head + RegExp.escape(text) + tail, 'g') }));
  });
}

const shared = String.raw`[\w+/-]?`;
