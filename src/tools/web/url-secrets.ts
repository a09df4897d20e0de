import { createRedactor, secretForms } from '../../base/redact.ts';

/**
 * Whether a text that would leave the machine carries one of these secrets: as it is or in one of its usual encodings,
 * percent-encoded once or twice, in letters of any case, or cut into pieces by dots and slashes, as a host or a path would
 * carry it. Pure.
 */
export function carriesSecret(text: string, secrets: readonly string[]): boolean {
  const forms = secretForms(secrets).map((form) => form.toLowerCase());
  const written = readings(text).map((reading) => reading.toLowerCase());
  if (forms.some((form) => written.some((reading) => reading.includes(form)))) return true;
  const bare = written.map(lettersOf);
  return secretForms(forms.map(lettersOf)).some((form) => bare.some((reading) => reading.includes(form)));
}

/** Whether there is something in it that is shaped like a credential, whoever's. Pure. */
export function looksLikeSecret(text: string): boolean {
  const redact = createRedactor([]);
  return readings(text).some((reading) => redact(reading) !== reading);
}

function readings(text: string): readonly string[] {
  const decoded = decode(text);
  return [text, decoded, decode(decoded)];
}

function decode(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  );
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '');
}
