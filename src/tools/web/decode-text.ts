/** Text as its sender encoded it: by its first bytes, the header, what the page itself says, or what fits. Pure. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const labels = [ofMark(bytes), charsetIn(contentType), charsetIn(beginningOf(bytes))];
  const decoder = labels.flatMap(decoderFor)[0];
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // What is no UTF-8 was written by a program that knew of nothing else.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Whether these are no letters at all. */
export function isBinary(text: string): boolean {
  return text.slice(0, 8192).includes('\0');
}

function ofMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

// As far as browsers look, too.
const prescanned = 1024;

/** The first bytes, if they look like a page or XML: only there a charset says how the bytes are to be read. */
function beginningOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, prescanned)).toString('latin1');
  return start.trimStart().startsWith('<') ? start : '';
}

function charsetIn(text: string): string | undefined {
  return /\b(?:charset|encoding)\s*=\s*["']?\s*([\w:-]+)/i.exec(text)?.[1];
}

function decoderFor(label: string | undefined): readonly TextDecoder[] {
  if (label === undefined) return [];
  try {
    return [new TextDecoder(label)];
  } catch {
    // A name that nobody knows says nothing.
    return [];
  }
}
