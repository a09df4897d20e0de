import { describeBytes } from '../base/describe-bytes.ts';
import type { BlobId, CallId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { ImageType } from './image.ts';

/** A piece of content. What is too large for a record is kept as a blob and stands here by reference. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'blob'; readonly blob: BlobId; readonly mediaType: string; readonly characters: number }
  | ImagePart;

/** A picture; the blob holds its bytes as base64 text, which is how every protocol wants them. */
export interface ImagePart {
  readonly type: 'image';
  readonly blob: BlobId;
  readonly mediaType: ImageType;
  readonly bytes: number;
  readonly name?: string;
  /** Of a picture that a tool made: the file of it that whoever reads the reply is shown. */
  readonly path?: string;
}

/** A call as the model wrote it: the arguments stay the text that came over the wire, so that replay repeats its bytes. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly arguments: string;
}

/** What ended a call that was still at work: a person, or the program, together with a turn that it put aside. */
export type EarlyEnd = 'stopped' | 'put-aside';

/** How a call ended. Every call ends in exactly one of these; `unknown` is a crash that hides what happened. */
export type ToolOutcome =
  | {
      readonly type: 'done';
      readonly parts: readonly Part[];
      /** Set where it did not end by itself. Older entries do not have it: there the text alone says so. */
      readonly ended?: EarlyEnd;
    }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'failed'; readonly message: string }
  /** Left out: by a person, or together with the turn. */
  | { readonly type: 'interrupted'; readonly ended?: 'put-aside' }
  | { readonly type: 'unknown'; readonly lastSeen: string };

export interface UserMessage {
  readonly role: 'user';
  readonly parts: readonly Part[];
}

/**
 * What a model thought before it spoke. `items` is the vendor's own form, kept as it came: it goes back, byte for byte, to
 * the vendor that made it and to no other. `text` is what can be shown of it.
 */
export interface Reasoning {
  readonly vendor: string;
  readonly text: string;
  readonly items: readonly Json[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly parts: readonly Part[];
  readonly calls: readonly ToolCall[];
  readonly reasoning?: Reasoning;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly callId: CallId;
  readonly outcome: ToolOutcome;
  /** What the user said while the tools ran; it reaches the model at the end of this result. */
  readonly steering: readonly string[];
}

/** What a model reads and writes; nothing of channels or people. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export function textPart(text: string): Part {
  return { type: 'text', text };
}

/** Parts as the plain text that a model or a person reads. */
export function partsToText(parts: readonly Part[]): string {
  const [first] = parts;
  // As nearly all are, and every request reads every message.
  if (parts.length === 1 && first !== undefined) return partToText(first);
  return parts.map(partToText).join('\n');
}

function partToText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'blob':
      return describeBlob(part.blob, part.characters);
    case 'image':
      return describeImage(part);
  }
}

function describeImage({ name, mediaType, bytes }: ImagePart): string {
  return `[an image: ${name === undefined ? '' : `${name}, `}${mediaType}, ${describeBytes(bytes)}]`;
}

function describeBlob(blob: BlobId, characters: number): string {
  return `[the whole of it, ${characters} characters, is kept: read_file with path "blob:${blob}" pages through it]`;
}

/** The images that a request with this message shows: only what the user says has any. */
export function imagesIn(message: Message): readonly ImagePart[] {
  return hasImages(message) ? message.parts.filter((part) => part.type === 'image') : noImages;
}

const noImages: readonly ImagePart[] = [];

/** The same, as a question: it is asked of every message of every request. */
export function hasImages(message: Message): message is UserMessage {
  return message.role === 'user' && message.parts.some((part) => part.type === 'image');
}

/** What a tool made to be seen. */
export function picturesOf(outcome: ToolOutcome): readonly ImagePart[] {
  return outcome.type === 'done' ? outcome.parts.filter((part) => part.type === 'image') : [];
}

/** An outcome as the text of a tool result. */
export function outcomeToText(outcome: ToolOutcome): string {
  switch (outcome.type) {
    case 'done':
      return partsToText(outcome.parts);
    case 'refused':
      return `REFUSED: ${outcome.reason}`;
    case 'failed':
      return `ERROR: ${outcome.message}`;
    case 'interrupted':
      return outcome.ended === 'put-aside'
        ? 'INTERRUPTED: the program ended this call when it put the turn aside; it may have run in part.'
        : 'INTERRUPTED: the user stopped this call; it may have run in part.';
    case 'unknown':
      return `OUTCOME UNKNOWN: the program ended while this ran (${outcome.lastSeen}). It was not run again. Inspect the state before acting.`;
  }
}

/** The tag around what the user said while tools ran. The system prompt tells the model to trust it, and only it. */
export const steeringTag = 'user-message';

/** A tool result as the model reads it: the outcome, and behind it, marked as the user's own words, the steering. */
export function toolMessageToText(message: ToolMessage): string {
  const result = withoutSteeringTags(outcomeToText(message.outcome));
  if (message.steering.length === 0) return result;
  const steering = withoutSteeringTags(message.steering.join('\n'));
  return `${result}\n\n<${steeringTag}>\n${steering}\n</${steeringTag}>`;
}

// Output that contains the tag could otherwise pass for the user's word.
function withoutSteeringTags(text: string): string {
  return text.replaceAll(`<${steeringTag}>`, `<${steeringTag}*>`).replaceAll(`</${steeringTag}>`, `</${steeringTag}*>`);
}
