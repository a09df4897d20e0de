import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo } from './answer.ts';

// A program of its own: a model that answers at once, over the chat completions protocol. Prints its address.

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as Asked;
    const asked = messages.findLast(({ role }) => role === 'user');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(streamOf(answerTo(String(asked?.content))));
  });
});
// Loads take turns of several seconds: a connection closed between two of them would be closed at the very moment of use.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});

function streamOf(text: string): string {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const middle = Math.ceil(text.length / 2);
  const chunks = [
    { delta: { role: 'assistant', content: text.slice(0, middle) }, finish_reason: null },
    { delta: { content: text.slice(middle) }, finish_reason: null },
    { delta: {}, finish_reason: 'stop' },
  ].map((choice) => ({ choices: [{ index: 0, ...choice }] }));
  const events = [...chunks, { choices: [], usage }].map((chunk) => ({ ...head, ...chunk }));
  return [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
