import type { ChannelTraits } from '../../model/channel.ts';

// It splits by itself, after rendering: lengths count there, and not in Markdown.
export const telegramTraits: ChannelTraits = { maxLength: Infinity, resend: 'marked', asks: 'yes', streams: 'yes' };
