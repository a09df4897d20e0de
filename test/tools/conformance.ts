import assert from 'node:assert/strict';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { describe, test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { Tool } from '../../src/model/tool.ts';
import type { AbortCause } from '../../src/model/turn.ts';
import type { ToolBench } from './open-toolbox.ts';

/** What the suite cannot know by itself: what a tool can do and what it cannot. */
export interface ToolSamples {
  /** Something that it does, on a bench as `open` makes it. */
  readonly works: JsonObject;
  /** Inputs that fit its schema and that nothing can come of. */
  readonly impossible: readonly JsonObject[];
  /** Something that shows a line and then takes until it is stopped, where the tool can take long. */
  readonly endless: JsonObject | undefined;
}

export interface ToolUnderTest {
  readonly name: string;
  readonly samples: ToolSamples;
  readonly open: () => Promise<ToolBench>;
}

/** Holds a tool to what the port promises. */
export function describeToolConformance(subject: ToolUnderTest): void {
  describe(`the tool ${subject.name}`, () => {
    describeWords(subject);
    describeJudgement(subject);
    describeRuns(subject);
    describeStops(subject);
  });
}

// The narrowest of what vendors accept.
const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/;

function describeWords({ name, open }: ToolUnderTest): void {
  test('its name is one that every vendor accepts, and it says what it does', async () => {
    await using bench = await open();
    const tool = find(name, bench);

    assert.match(tool.name, acceptedName);
    assert.match(tool.description, /^[A-Z].{10,400}\.$/s);
  });

  test('its input is a JSON schema of an object, with a description for every field', async () => {
    await using bench = await open();
    const { json } = find(name, bench).input;

    assert.equal(json['type'], 'object');
    assert.deepEqual(findSchemaFaults(json), []);
    assert.deepEqual(JSON.parse(JSON.stringify(json)), json);
  });

  test('what it tells the model is the same bytes in every process', async () => {
    await using first = await open();
    await using second = await open();

    const [left, right] = [first, second].map((bench) => {
      const { description, input } = find(name, bench);
      return JSON.stringify([description, input.json]);
    });

    assert.equal(left, right);
  });

  test('an input of another shape is refused with a reason, not with an error', async () => {
    await using bench = await open();
    const { input } = find(name, bench);
    // A tool that needs nothing is content with nothing.
    const lacking = requiredOf(input.json).flatMap((key) => [{}, { [key]: {} }]);

    for (const other of [undefined, null, 'text', 7, [], ...lacking])
      assert.equal(input.parse(other).type, 'invalid', JSON.stringify(other));
  });
}

function describeJudgement({ name, samples, open }: ToolUnderTest): void {
  test('whatever its input, it touches absolute paths or anything at all', async () => {
    await using bench = await open();
    const tool = find(name, bench);

    for (const input of oddInputs(tool, samples)) {
      const footprint = tool.footprint(input, bench.place);
      const paths = footprint.type === 'files' ? footprint.paths : [];
      assert.deepEqual(
        paths.filter((path) => !isAbsolute(path)),
        [],
        JSON.stringify(input).slice(0, 200),
      );
    }
  });

  test('whatever its input, weighing the risk and looking for an effect neither fail nor change anything', async () => {
    await using bench = await open();
    const tool = find(name, bench);
    const before = await photograph(bench);

    for (const input of oddInputs(tool, samples)) {
      const risk = await tool.assess(input, bench.place);
      if (risk.type === 'ask') assert.notEqual(risk.question.trim(), '');
      if (risk.type === 'forbidden') assert.notEqual(risk.reason.trim(), '');
      assert.match(await tool.verify(input, bench.place), /^(?:done|not-done|unknown)$/);
    }

    assert.deepEqual(await photograph(bench), before);
  });

  test('it can tell that it took effect exactly where it says that it can', async () => {
    await using bench = await open();
    const isVerifiable = find(name, bench).effect === 'verifiable';

    const before = await bench.verify(name, samples.works);
    await bench.run(name, samples.works);
    const after = await bench.verify(name, samples.works);

    assert.deepEqual([before, after], isVerifiable ? ['not-done', 'done'] : ['unknown', 'unknown']);
  });
}

function describeRuns({ name, samples, open }: ToolUnderTest): void {
  test('what it can do it does, and says what came of it', async () => {
    await using bench = await open();

    const outcome = await bench.outcome(name, samples.works);

    assert.equal(outcome.type, 'done');
    assert.notEqual(outcomeToText(outcome).trim(), '');
  });

  test('what cannot be done comes back as an outcome that says why', async () => {
    await using bench = await open();

    for (const input of samples.impossible) {
      const outcome = await bench.outcome(name, input);
      assert.match(outcome.type, /^(?:failed|refused)$/, JSON.stringify(input));
      const text = outcomeToText(outcome);
      assert.ok(text.length > 'ERROR: '.length && text.length < 3000, text);
    }
  });

  test('if it only reads, it changes nothing', async () => {
    await using bench = await open();
    const before = await photograph(bench);

    await bench.run(name, samples.works);

    if (find(name, bench).effect === 'reads') assert.deepEqual(await photograph(bench), before);
  });
}

function describeStops({ name, samples, open }: ToolUnderTest): void {
  const causes: readonly AbortCause[] = [{ type: 'stop', by: 'ann' as never }, { type: 'shutdown' }];

  for (const cause of causes) {
    test(`a call that a ${cause.type} overtook does not begin`, async () => {
      await using bench = await open();
      const before = await photograph(bench);

      const outcome = await bench.outcome(name, samples.works, { signal: AbortSignal.abort(cause) });

      assert.deepEqual(outcome, { type: 'interrupted' });
      assert.deepEqual(await photograph(bench), before);
    });

    test(`a ${cause.type} in the middle of it ends it with an outcome`, async () => {
      await using bench = await open();
      const stopping = new AbortController();
      const begun = Promise.withResolvers<void>();
      if (samples.endless === undefined) begun.resolve();
      const { run } = await bench.prepare(name, samples.endless ?? samples.works);

      const running = run({ signal: stopping.signal, progress: () => begun.resolve() });
      await begun.promise;
      stopping.abort(cause);

      assert.match((await running).type, /^(?:done|interrupted)$/);
    });
  }
}

function find(name: string, bench: ToolBench): Tool {
  const tool = bench.toolbox.tools.get(name);
  assert.ok(tool !== undefined && tool.name === name, `there is no tool named ${name}`);
  return tool;
}

const jsonTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

/** What is wrong with a JSON schema, each with the place where it is. */
function findSchemaFaults(schema: Json | undefined, place = 'input'): readonly string[] {
  if (!isJsonObject(schema)) return [`${place} is no schema`];
  const faults: string[] = [];
  const { type, properties, required, items, description } = schema as Readonly<Record<string, Json | undefined>>;
  if (!jsonTypes.has(type)) faults.push(`${place} has no type`);
  if (place !== 'input' && (typeof description !== 'string' || description.trim() === ''))
    faults.push(`${place} has no description`);
  if (type === 'array') faults.push(...findSchemaFaults(items, `${place}[]`));
  if (type !== 'object') return faults;
  if (!isJsonObject(properties)) return [...faults, `${place} has no fields`];
  for (const [key, inner] of Object.entries(properties)) faults.push(...findSchemaFaults(inner, `${place}.${key}`));
  if (!Array.isArray(required) || required.some((key) => typeof key !== 'string' || !(key in properties)))
    faults.push(`${place} requires what it does not have`);
  return faults;
}

function requiredOf(json: JsonObject): readonly string[] {
  const required = json['required'];
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  '\n',
  '.',
  '..',
  '~',
  '~/x',
  '~nobody/x',
  '/',
  '/dev/null',
  '/proc/self/environ',
  'missing/deep/er.txt',
  'loop',
  'dangling',
  "unclosed ' quote",
  '$(touch made)',
  '> made',
  '[',
  '\ud800 half',
  'blob:none',
  'x'.repeat(5000),
];
const oddNumbers: readonly number[] = [-1, 0, 1, 2 ** 31, Number.MAX_SAFE_INTEGER];

/** What works, with each of its fields in turn replaced by something odd that still fits the schema. */
function oddInputs(tool: Tool, { works, impossible }: ToolSamples): readonly unknown[] {
  const fields = Object.entries(tool.input.json['properties'] as Readonly<Record<string, JsonObject>>);
  const odd = fields.flatMap(([key, { type }]) => {
    const values = type === 'string' ? oddTexts : type === 'integer' ? oddNumbers : [true, false];
    return values.map((value) => ({ ...works, [key]: value }));
  });
  return [works, ...impossible, ...odd].flatMap((input) => {
    const parsed = tool.input.parse(input);
    return parsed.type === 'valid' ? [parsed.value] : [];
  });
}

/** Everything that stands in the folders of a bench, to the byte and the time of its last change. */
async function photograph({ workdir, home, userHome }: ToolBench): Promise<readonly string[]> {
  const lines = await Promise.all([workdir, home, userHome].map(describeFolder));
  return lines.flat().toSorted();
}

async function describeFolder(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return await Promise.all(
    found.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`;
      if (!entry.isFile()) return path;
      return `${path} ${(await stat(path)).mtimeMs} ${await readFile(path, 'base64')}`;
    }),
  );
}
