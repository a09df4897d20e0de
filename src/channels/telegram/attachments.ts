import type { Message } from 'grammy/types';
import { describeBytes } from '../../base/describe-bytes.ts';

/** What came with a message besides text: what can be said about it and, where there is one, its file. */
export interface Attachment {
  readonly kind: string;
  readonly facts: readonly string[];
  readonly file: AttachedFile | undefined;
}

export interface AttachedFile {
  /** What Telegram hands it out for. */
  readonly id: string;
  /** A name of one plain word, the same whenever and to whomever the file is sent. */
  readonly name: string;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
}

/** The files of a message, its largest picture alone, and what else has no words. Pure. */
export function listAttachments(message: Message): readonly Attachment[] {
  const { photo, document, voice, audio, video, video_note: note } = message;
  const largest = photo?.at(-1);
  return [
    largest &&
      attach('photo', [`${largest.width}×${largest.height}`], { ...largest, mime_type: 'image/jpeg' }, 'photo.jpg'),
    document && attach('file', [quote(document.file_name), document.mime_type], document, 'file'),
    voice && attach('voice note', [seconds(voice.duration)], voice, 'voice.ogg'),
    audio && attach('audio', [quote(audio.title ?? audio.file_name), seconds(audio.duration)], audio, 'audio.mp3'),
    video && attach('video', [quote(video.file_name), seconds(video.duration)], video, 'video.mp4'),
    note && attach('video note', [seconds(note.duration)], note, 'video.mp4'),
    ...listFileless(message),
  ].filter((attachment) => attachment !== undefined);
}

/** Whatever else a person can send; what Telegram itself says in a chat (who joined, what was pinned) is not among it. */
function listFileless(message: Message): readonly (Attachment | undefined)[] {
  const { sticker, dice, location, venue, contact, poll, checklist, game, story, invoice } = message;
  return [
    sticker && attach('sticker', [sticker.emoji]),
    dice && attach('dice', [dice.emoji, String(dice.value)]),
    venue && attach('venue', [quote(venue.title), quote(venue.address)]),
    location && attach('location', [`${location.latitude}, ${location.longitude}`]),
    contact && attach('contact', [quote(contact.first_name), contact.phone_number]),
    poll && attach(poll.type === 'quiz' ? 'quiz' : 'poll', [poll.question, ...poll.options.map(textOf)].map(quote)),
    checklist && attach('checklist', [checklist.title, ...checklist.tasks.map(textOf)].map(quote)),
    game && attach('game', [quote(game.title)]),
    story && attach('story', [quote(story.chat.title ?? story.chat.first_name)]),
    invoice && attach('invoice', [quote(invoice.title)]),
    ...listUnreadable(message),
  ];
}

/** What bots are shown next to nothing of, or what says nothing without its buttons. */
function listUnreadable(message: Message): readonly (Attachment | undefined)[] {
  const {
    paid_media: paid,
    giveaway,
    giveaway_winners: winners,
    rich_message: rich,
    passport_data: passport,
  } = message;
  return [
    paid && attach('paid media', [`${paid.star_count} stars`]),
    (giveaway ?? winners) && attach('giveaway', []),
    rich && attach('formatted message', ['its words cannot be read here']),
    passport && attach('documents for Telegram Passport', ['they cannot be read here']),
  ];
}

function textOf({ text }: { readonly text: string }): string {
  return text;
}

export function describeAttachment({ kind, facts }: Attachment): string {
  return facts.length === 0 ? `[${kind}]` : `[${kind}: ${facts.join(', ')}]`;
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

function attach(
  kind: string,
  facts: readonly (string | undefined)[],
  file?: TelegramFile,
  usualName?: string,
): Attachment {
  const known = [...facts, size(file?.file_size)].filter((fact) => fact !== undefined);
  return { kind, facts: known, file: file && toFile(file, usualName ?? kind) };
}

function toFile(file: TelegramFile, usualName: string): AttachedFile {
  const name = `${plainWord(file.file_unique_id)}-${plainWord(file.file_name ?? usualName)}`;
  return { id: file.file_id, name, mediaType: file.mime_type, size: file.file_size };
}

/** Names are chosen by whoever sends the file: what is left of one can neither leave a folder nor hide in it. */
function plainWord(name: string): string {
  return name
    .normalize()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .slice(-80)
    .toWellFormed()
    .replace(/^[.-]+/, '_');
}

// On one line, and in quotes, a name cannot pass for anything else.
function quote(name: string | undefined): string | undefined {
  return name === undefined ? undefined : JSON.stringify(name.slice(0, 200).toWellFormed());
}

function seconds(duration: number): string {
  return `${duration} s`;
}

function size(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : describeBytes(bytes);
}
