import { anna } from '../../support/telegram-server.ts';
import { describeChannelConformance } from '../conformance.ts';
import type { ChannelBench } from '../conformance.ts';
import { openTelegram, privateChat } from './bench.ts';

async function openBench(): Promise<ChannelBench> {
  const { server, channel, [Symbol.asyncDispose]: close } = await openTelegram();
  return {
    channel,
    address: privateChat,
    say: (text) => void server.say(text),
    answer: (digest) => server.press(`a=${digest}`),
    get seen() {
      return server.shown(anna.id).map(({ text }) => text);
    },
    [Symbol.asyncDispose]: close,
  };
}

describeChannelConformance('a Telegram bot', openBench);
