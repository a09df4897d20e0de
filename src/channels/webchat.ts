import { webchatPlatform } from '../model/channel.ts';
import type { Channel, ChannelTraits, WebchatPort } from '../model/channel.ts';

// The page finds a reply in the store, under the id that it has there, however often it is told that there is more.
const traits: ChannelTraits = { maxLength: Infinity, resend: 'reads-store', asks: 'yes', streams: 'yes' };

/** The page in the browser as a channel. It serves every chat of its own. */
export function createWebchatChannel(port: WebchatPort): Channel {
  return {
    name: webchatPlatform,
    traits,
    serves: (address) => address.platform === webchatPlatform,
    receive: (signal) => port.read(signal),
    async send(message) {
      await port.show(message);
      return { type: 'sent', platformId: message.id };
    },
    async preview(preview) {
      port.preview(preview);
    },
    async conclude(question, _platformId, ending) {
      port.conclude(question, ending);
    },
  };
}
