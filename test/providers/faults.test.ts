import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { ModelEvent, ModelFailure } from '../../src/model/provider.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { bodyOf, failsWith, garblesAt, inChunksOf, resets, resetsAfter, sendsRaw } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { protocolScripts } from '../support/protocol-scripts.ts';
import { ask, runtimeAt } from './chat-setup.ts';

const key = { credential: { type: 'key', reveal: () => 'test-key-0123456789' } } as const;

/** The events of one answer that the server gives. */
async function streamOf(apiMode: ApiMode, step: ModelStep): Promise<readonly ModelEvent[]> {
  await using server = await startModelServer([step]);
  await using cleanup = new AsyncDisposableStack();
  const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };
  const client = await connectRuntime(runtimeAt(server.baseUrl, { apiMode, ...key }), clock);
  cleanup.defer(() => client.close());
  return await ask(client);
}

async function failureOf(apiMode: ApiMode, step: ModelStep): Promise<ModelFailure | undefined> {
  const last = (await streamOf(apiMode, step)).at(-1);
  return last?.type === 'failed' ? last.failure : undefined;
}

async function textOf(apiMode: ApiMode, step: ModelStep): Promise<string | undefined> {
  const last = (await streamOf(apiMode, step)).at(-1);
  if (last?.type !== 'finished') return undefined;
  return last.message.parts.map((part) => ('text' in part ? part.text : '')).join('');
}

for (const { apiMode, says, breaksOffWith } of protocolScripts) {
  test(`${apiMode} reads streams however they are cut up and encoded`, async () => {
    const text = Buffer.from(bodyOf(says('Grüße an 世界 😀'))).toString('utf8');
    const variants: Readonly<Record<string, ModelStep>> = {
      'one byte at a time': inChunksOf(1, sendsRaw(text)),
      'three bytes at a time': inChunksOf(3, sendsRaw(text)),
      'with a byte order mark': sendsRaw(`\ufeff${text}`),
      'with CRLF': sendsRaw(text.replaceAll('\n', '\r\n')),
      'with CRLF, one byte at a time': inChunksOf(1, sendsRaw(text.replaceAll('\n', '\r\n'))),
      'with CR': sendsRaw(text.replaceAll('\n', '\r')),
      'with comments and other fields': sendsRaw(
        `: ping\n\nid: 7\nretry: 10\nfoo: bar\n${text.replaceAll('data:', ': x\ndata:')}`,
      ),
      'without a space after the colon': sendsRaw(text.replaceAll('data: ', 'data:')),
      'without the names of events': sendsRaw(text.replaceAll(/^event: .*\n/gm, '')),
    };
    for (const [name, step] of Object.entries(variants)) {
      assert.equal(await textOf(apiMode, step), 'Grüße an 世界 😀', name);
    }
  });

  test(`${apiMode} makes replacement characters of bytes that are no UTF-8`, async () => {
    const answer = sendsRaw(bodyOf(says('Hello')));
    const body = Buffer.from(bodyOf(answer));
    const places: number[] = [];
    for (let at = body.indexOf('ello'); at !== -1; at = body.indexOf('ello', at + 1)) places.push(at);
    const garbled = places.reduce((step, at) => garblesAt(at, Buffer.from([0xff]), step), answer);

    assert.equal(await textOf(apiMode, garbled), 'H\ufffdllo');
  });

  test(`${apiMode} takes a connection that is reset, before an answer or inside it, for a cut one`, async () => {
    for (const step of [resets(), resetsAfter(60, says('Hello you there'))]) {
      const failure = await failureOf(apiMode, step);
      assert.deepEqual([failure?.type, failure?.type === 'transport' && failure.kind], ['transport', 'cut']);
    }
  });

  test(`${apiMode} refuses what is no stream of events, and what is too large`, async () => {
    const megabyte = 'x'.repeat(1_000_000);
    const flood = Array.from({ length: 70 }, () => `: ${megabyte}\n`);
    const table: readonly (readonly [ModelStep, RegExp])[] = [
      [sendsRaw('<html><title>Sign in</title>', { headers: { 'content-type': 'text/html' } }), /HTML page Sign in/],
      [sendsRaw('{"error":{}}', { headers: { 'content-type': 'application/json' } }), /without saying why/],
      [sendsRaw('\u001f\u008b', { headers: { 'content-encoding': 'gzip' } }), /compressed/],
      [sendsRaw('', { status: 204 }), /not a stream/],
      [sendsRaw('data: {"type"\n\n'), /not JSON/],
      [sendsRaw('data: [1,2]\n\n'), /not JSON/],
      [sendsRaw(`data: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n\n`), /not JSON/],
      [sendsRaw(['data: "', ...Array.from({ length: 20 }, () => megabyte), ...flood]), /^an event is larger/],
      [sendsRaw(flood), /^the answer is larger/],
    ];
    for (const [step, problem] of table) {
      const failure = await failureOf(apiMode, step);
      assert.match(failure?.type === 'protocol' ? failure.message : JSON.stringify(failure), problem);
    }
  });

  test(`${apiMode} tells an error of the server in one short line, whatever it sends`, async () => {
    const table: readonly (readonly [JsonObject | string, string])[] = [
      [{ error: { message: 'model not found', type: 'x' } }, 'model not found'],
      [{ error: 'flat' }, 'flat'],
      [{ message: 'top level' }, 'top level'],
      [{ detail: [{ msg: 'field required', loc: ['body'] }] }, 'field required'],
      [[{ error: { message: 'in a list' } }] as unknown as JsonObject, 'in a list'],
      ['<!doctype html><html><head><title>502 Bad\nGateway</title>', 'an HTML page 502 Bad Gateway'],
      ['upstream\u001b[31m  said\n no', 'upstream [31m said no'],
      ['', 'without saying why'],
      ['{}', 'without saying why'],
      ['x'.repeat(100_000), `${'x'.repeat(300)}…`],
      ['bad key test-key-0123456789', 'bad key [redacted]'],
    ];
    for (const [body, message] of table) {
      const expected = { type: 'http', status: 503, kind: 'overloaded', message, retryAfterMs: undefined };
      assert.deepEqual(await failureOf(apiMode, failsWith(503, body)), expected);
    }
  });

  test(`${apiMode} believes a server that asks for patience, up to a day`, async () => {
    const table: readonly (readonly [Readonly<Record<string, string>>, number | undefined])[] = [
      [{}, undefined],
      [{ 'retry-after': '7' }, 7000],
      [{ 'retry-after': '0.5' }, 500],
      [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
      [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
      [{ 'retry-after': '864000' }, 86_400_000],
      [{ 'retry-after': 'soon' }, undefined],
      [{ 'retry-after': '-5' }, 0],
      [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ];
    for (const [headers, retryAfterMs] of table) {
      const failure = await failureOf(apiMode, failsWith(429, { error: { message: 'slow' } }, headers));
      assert.equal(failure?.type === 'http' ? failure.retryAfterMs : failure?.type, retryAfterMs);
    }
  });

  test(`${apiMode} does not follow a redirect: the key stays with the server that it is for`, async () => {
    await using elsewhere = await startModelServer([says('gotcha')]);

    const failure = await failureOf(apiMode, failsWith(307, '', { location: `${elsewhere.baseUrl}/x?y=1` }));

    assert.deepEqual(failure, {
      type: 'http',
      status: 307,
      kind: 'bad-request',
      message: `it redirects to ${elsewhere.origin}, which is not followed`,
      retryAfterMs: undefined,
    });
    assert.equal(elsewhere.requests.length, 0);
  });

  test(`${apiMode} gives an error in the middle of a stream the status that it would have had before it`, async () => {
    const table: readonly (readonly [JsonObject | string, number, string])[] = [
      [{ type: 'invalid_request_error', message: 'no' }, 400, 'bad-request'],
      [{ type: 'invalid_request_error', code: 'context_length_exceeded', message: 'no' }, 400, 'overflow'],
      [{ type: 'invalid_request_error', code: 'invalid_encrypted_content', message: 'no' }, 400, 'stale-reasoning'],
      [{ type: 'authentication_error', message: 'no' }, 401, 'auth'],
      [{ type: 'billing_error', message: 'no' }, 402, 'billing'],
      [{ code: 'insufficient_quota', message: 'no' }, 429, 'billing'],
      [{ type: 'permission_error', message: 'no' }, 403, 'forbidden'],
      [{ code: 'usage_not_included', message: 'no' }, 403, 'forbidden'],
      [{ type: 'not_found_error', message: 'no' }, 404, 'not-found'],
      [{ type: 'request_too_large', message: 'no' }, 413, 'overflow'],
      [{ type: 'rate_limit_error', message: 'no' }, 429, 'rate-limit'],
      [{ type: 'requests', code: 'rate_limit_exceeded', message: 'no' }, 429, 'rate-limit'],
      [{ code: '429', message: 'no' }, 429, 'rate-limit'],
      [{ code: 502, message: 'no' }, 502, 'server'],
      [{ type: 'timeout_error', message: 'no' }, 504, 'server'],
      [{ type: 'overloaded_error', message: 'no' }, 529, 'overloaded'],
      [{ code: 'server_is_overloaded', message: 'no' }, 503, 'overloaded'],
      [{ type: 'something_new', message: 'no' }, 500, 'server'],
      ['no', 500, 'server'],
    ];
    for (const [error, status, kind] of table) {
      const expected = { type: 'http', status, kind, message: 'no', retryAfterMs: undefined };
      assert.deepEqual(await failureOf(apiMode, breaksOffWith(error)), expected, JSON.stringify(error));
    }
  });
}
