import { isJsonObject } from '../../base/json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { createRedactor } from '../../base/redact.ts';
import type { ToolOutcome } from '../../model/message.ts';
import { markForeign } from '../../base/foreign-text.ts';
import { cut, done, failed } from '../tool-outcomes.ts';
import type { RemoteResult } from './connection.ts';

/** Bytes that came with a result, and that a model cannot read as text. */
export interface Attachment {
  readonly mediaType: string;
  readonly base64: string;
}

export interface ReadResult {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const longestText = 1_000_000;
const longestComplaint = 1500;

export interface ReadDeps {
  readonly server: string;
  /** The key of the call, which no server knows. */
  readonly key: string;
  /** Puts what is no text into files and returns a line for each. */
  readonly keep: (attachments: readonly Attachment[]) => Promise<readonly string[]>;
}

/** What a call came to, as the model reads it. */
export async function readResult(result: RemoteResult, { server, key, keep }: ReadDeps): Promise<ToolOutcome> {
  const source = `the MCP server ${server}`;
  const quote = (complaint: string): string => markForeign(redact(cut(complaint, longestComplaint)), source, key);
  switch (result.type) {
    case 'answered': {
      const { text, attachments } = readContent(result.content, result.structured);
      if (result.isError) return failed(quote(text));
      const kept = await keep(attachments);
      const shown = text === '' && kept.length > 0 ? [] : [markForeign(cut(text, longestText), source, key)];
      return done([...shown, ...kept].join('\n'));
    }
    case 'refused':
      return failed(`${source} refused: ${quote(result.message)}`);
    case 'timed-out':
      return failed(`${source} did not answer in time. It may have acted all the same: look before you try again`);
    case 'forgotten':
      return failed(`${source} has forgotten the connection, twice in a row`);
    case 'lost':
      return failed(
        `${source} was lost during the call. It may have acted all the same: look before you try again. ${quote(result.message)}`,
      );
    case 'locked-out':
      return failed(`${source} did nothing: ${result.why.message}. ${forTheUser}`);
    case 'not-allowed':
      return failed(`${source} did nothing: ${result.message}. ${forTheUser}`);
    case 'unreachable':
      return failed(`${source} cannot be reached, and is tried again by itself: ${quote(result.message)}`);
  }
}

const forTheUser = 'That is for the user to do, on the machine itself';

// What servers complain about may hold what they were given to log in with.
const redact = createRedactor([]);

/** The parts of a result: what can be read, and what cannot. Pure. */
export function readContent(content: readonly JsonObject[], structured: JsonObject | undefined): ReadResult {
  const read = content.map(readPart);
  const texts = read.flatMap(({ text }) => (text === '' ? [] : [text]));
  // A server that has both says the same thing twice.
  if (texts.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured));
  return { text: texts.join('\n'), attachments: read.flatMap(({ attachments }) => attachments) };
}

function readPart(part: JsonObject): ReadResult {
  const { type } = part;
  if (type === 'text') return onlyText(textOf(part['text']));
  if (type === 'image' || type === 'audio') {
    return { text: '', attachments: [{ mediaType: textOf(part['mimeType']), base64: textOf(part['data']) }] };
  }
  if (type === 'resource_link') return onlyText(`[a resource: ${textOf(part['name'])} ${textOf(part['uri'])}]`);
  if (type === 'resource') return readResource(part['resource']);
  return onlyText(`[a part of the unknown kind ${JSON.stringify(type)}]`);
}

function readResource(resource: Json | undefined): ReadResult {
  if (!isJsonObject(resource)) return onlyText('');
  const heading = `[the resource ${textOf(resource['uri'])}]`;
  const { blob } = resource as { readonly blob?: Json };
  if (typeof blob !== 'string') return onlyText(`${heading}\n${textOf(resource['text'])}`);
  return { text: heading, attachments: [{ mediaType: textOf(resource['mimeType']), base64: blob }] };
}

function onlyText(text: string): ReadResult {
  return { text, attachments: [] };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
