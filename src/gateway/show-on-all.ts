import type { Channel, Outbound, Receipt } from '../model/channel.ts';

/** Several screens at one address as one channel: all of them show what is sent there, and those who can be asked are asked. */
export function showOnAll(channels: readonly [Channel, ...Channel[]]): Channel {
  const [first, ...others] = channels;
  if (others.length === 0) return first;
  const asks = channels.some((channel) => channel.traits.asks === 'yes') ? 'yes' : 'no';
  const toBeTold = channels.find(({ traits }) => traits.resend !== 'reads-store');
  return {
    name: first.name,
    // Where one of them has to be told, it is not enough that a reply is in the store.
    traits: { ...first.traits, asks, resend: (toBeTold ?? first).traits.resend },
    serves: (address) => first.serves(address),
    // Each of them is listened to by itself.
    receive: () => nothing(),
    send: (message, signal) => send(message, channels, signal),
    async preview(preview, signal) {
      await Promise.all(channels.map((channel) => channel.preview(preview, signal)));
    },
    async conclude(question, platformId, ending) {
      await Promise.all(channels.map((channel) => channel.conclude(question, platformId, ending)));
    },
  };
}

async function* nothing(): AsyncGenerator<never, void> {}

/** One that shows it is enough: the others are looked at by the same person. */
async function send(message: Outbound, channels: readonly Channel[], signal: AbortSignal): Promise<Receipt> {
  const meant = message.kind === 'question' ? channels.filter(({ traits }) => traits.asks === 'yes') : channels;
  const receipts = await Promise.all(meant.map((channel) => channel.send(message, signal)));
  const none: Receipt = { type: 'refused', reason: 'nobody is there' };
  return receipts.find(({ type }) => type === 'sent') ?? receipts[0] ?? none;
}
