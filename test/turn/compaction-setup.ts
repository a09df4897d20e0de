import type { JsonObject } from '../../src/base/json.ts';
import { isJsonObject } from '../../src/base/json.ts';
import type { Compaction } from '../../src/model/turn.ts';
import { says } from '../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';

export type Answerer = (request: SeenRequest, index: number) => ModelStep | Promise<ModelStep>;

export interface LongHouse extends AsyncDisposable {
  readonly house: TestHouse;
  readonly server: ModelServer;
}

export interface LongHouseOptions extends Omit<HouseOptions, 'script'> {
  /** How many tokens the model reads at once. */
  readonly window?: number;
  readonly answer: Answerer;
  /** How a request for a summary is answered. */
  readonly sumUp?: Answerer;
  readonly model?: JsonObject;
}

/** A house whose model has a window of its own, and whose summaries are told from its answers. */
export async function openLongHouse(options: LongHouseOptions): Promise<LongHouse> {
  const { window, answer, sumUp = () => says('SUMMARY OF IT.'), model = {}, settings = {}, ...rest } = options;
  await using cleanup = new AsyncDisposableStack();
  const server = cleanup.use(
    await startModelServer((request, index) => (isForSummary(request) ? sumUp : answer)(request, index)),
  );
  const chosen = {
    provider: 'custom',
    base_url: server.baseUrl,
    default: 'scripted',
    ...(window === undefined ? {} : { context_length: window }),
    ...model,
  };
  // The windows of these tests are measured for these tools, whatever others there are.
  const platform_toolsets = { terminal: ['file', 'terminal'] };
  const whole = { model: chosen, platform_toolsets, ...settings };
  const house = cleanup.use(await openTestHouse({ ...rest, script: [], settings: whole }));
  const kept = cleanup.move();
  return { house, server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

export function isForSummary({ body }: SeenRequest): boolean {
  return body.includes('You sum up the record of a conversation');
}

/** The requests that were not for a summary. */
export function answered(server: ModelServer): readonly SeenRequest[] {
  return server.requests.filter((request) => !isForSummary(request));
}

export function sumUps(server: ModelServer): readonly SeenRequest[] {
  return server.requests.filter(isForSummary);
}

/** The messages of a chat request behind the system prompt. */
export function messagesIn(request: SeenRequest | undefined): readonly JsonObject[] {
  const messages = request?.json?.['messages'];
  if (!Array.isArray(messages)) return [];
  return messages.filter((each): each is JsonObject => isJsonObject(each) && each['role'] !== 'system');
}

export function contentsOf(request: SeenRequest | undefined): readonly string[] {
  return messagesIn(request).map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

export async function compactionsOf(house: TestHouse): Promise<readonly Compaction[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'context.compacted' ? [entry] : []));
}

/** So many different words: about as many tokens. */
export function prose(label: string, words: number): string {
  return Array.from({ length: words }, (_, index) => `${label}${index % 97}`).join(' ');
}

export function notices(house: TestHouse): readonly string[] {
  return house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
}
