import { Agent, request } from 'node:http';
import type { ModelRequest, Provider } from '../src/model/provider.ts';
import { nameRuntime } from '../src/model/runtime.ts';
import type { ApiMode, Runtime } from '../src/model/runtime.ts';
import { connectRuntime } from '../src/providers/connect-runtime.ts';
import { centreOf, medianTimes } from './measure.ts';

/** A process of its own, so that the server's work is not in the figures: asks by our client and barely, by turns. */
const [apiMode, baseUrl, rounds] = process.argv.slice(2) as [ApiMode, string, string];

const paths: Readonly<Record<ApiMode, string>> = {
  chat_completions: '/chat/completions',
  anthropic_messages: '/messages',
  codex_responses: '/responses',
};

const runtime: Runtime = {
  name: nameRuntime('custom', 'scripted'),
  vendor: 'custom',
  model: 'scripted',
  baseUrl,
  apiMode,
  credential: { type: 'none' },
  keyName: undefined,
  place: 'local',
  route: 'direct',
  window: undefined,
  cacheLife: '5m',
};

const agent = new Agent({ keepAlive: true });
const provider = await connectRuntime(runtime);
const times = await medianTimes(
  {
    bare: () => askBarely('stream'),
    ours: () => ask(provider, 'stream'),
    bareShort: () => askBarely('short'),
    oursShort: () => ask(provider, 'short'),
  },
  Number(rounds),
);
// The stream comes at the server's own pace, so what a token costs shows in the processor's time only.
const added = centreOf(await addedWork(4 * Number(rounds)));
await provider.close();
agent.destroy();
console.log(JSON.stringify({ ...times, added }));

/** How much more processor time a stream takes by our client than barely, round by round: both in turn, so that noise falls on both. */
async function addedWork(count: number): Promise<readonly number[]> {
  const differences: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const bare = await workMs(() => askBarely('stream'));
    differences.push((await workMs(() => ask(provider, 'stream'))) - bare);
  }
  return differences;
}

async function workMs(once: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await once();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function questionOf(text: string): ModelRequest {
  return {
    model: 'scripted',
    system: 'You are measured.',
    tools: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    toolUse: 'allowed',
    maxOutputTokens: undefined,
    cacheKey: 'bench',
    effort: undefined,
  };
}

async function ask(client: Provider, text: string): Promise<void> {
  const events = await Array.fromAsync(client.stream(questionOf(text), new AbortController().signal));
  const end = events.at(-1);
  if (end?.type !== 'finished') throw new Error(`no answer: ${JSON.stringify(end)}`);
}

/** The same question and every byte of its answer, read and thrown away. */
function askBarely(text: string): Promise<void> {
  const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: text }] });
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
    request(`${baseUrl}${paths[apiMode]}`, options, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end(body);
  });
}
