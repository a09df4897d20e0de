import { systemClock } from '../../src/base/clock.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { createWebchatChannel } from '../../src/channels/webchat.ts';
import { textPart } from '../../src/model/message.ts';
import { chatAddress } from '../../src/web/chat-address.ts';
import { ChatHub } from '../../src/web/chat-hub.ts';
import { describeChannelConformance } from './conformance.ts';
import type { ChannelBench } from './conformance.ts';

/** Someone at a page, as the hub sees it. Nothing is kept here, so that whatever is sent is shown at once. */
async function openPage(): Promise<ChannelBench> {
  const hub = new ChatHub({ outbox: { get: () => Promise.resolve(undefined) }, clock: systemClock });
  const address = chatAddress('one') ?? { platform: '', account: '', chat: '', thread: '' };
  const person = 'owner' as PersonId;
  const seen: string[] = [];
  const listening = hub.listen('one', (news) => {
    if (news.type === 'said') seen.push(news.saying.text);
  });
  let count = 0;
  return await Promise.resolve({
    channel: createWebchatChannel(hub),
    address,
    seen,
    say(text: string) {
      count += 1;
      const key = { ...address, messageId: String(count), revision: 0 };
      hub.bring({ type: 'message', key, address, person, parts: [textPart(text)], workdir: '/' });
    },
    answer: (digest: string) => hub.bring({ type: 'answer', address, person, digest, verdict: 'approved' }),
    [Symbol.asyncDispose]: () => Promise.resolve(listening[Symbol.dispose]()),
  });
}

describeChannelConformance('the page in the browser', openPage);
