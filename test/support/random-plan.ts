import * as fc from 'fast-check';
import type { FaultPoint } from '../../src/model/faults.ts';
import type { Effort } from '../../src/model/provider.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { anyAnswer, anySummary } from './random-answers.ts';
import type { Answer } from './random-answers.ts';

/** A conversation as data, so that one that fails can be made smaller and played again. */
export interface Plan {
  readonly setup: Setup;
  readonly moves: readonly Move[];
}

export interface Setup {
  /** Primary first. */
  readonly runtimes: readonly RuntimePlan[];
  /** How many tokens the models read at once; undefined: as many as is usual. */
  readonly window: number | undefined;
  readonly mostSteps: number;
  readonly consent: 'approved' | 'denied';
}

export interface RuntimePlan {
  readonly vendor: string;
  readonly apiMode: ApiMode;
  readonly model: string;
  readonly keys: number;
  /** Nobody listens at the address of one that is down. */
  readonly state: 'up' | 'down';
}

export type Move =
  | ({ readonly type: 'say'; readonly text: string } & Course)
  | ({ readonly type: 'compact' } & Course)
  | ({ readonly type: 'undo' } & Course)
  | { readonly type: 'restart' }
  | { readonly type: 'think'; readonly effort: Effort | 'default' }
  | { readonly type: 'pass-time'; readonly ms: number }
  /** The prompt becomes one with other tools, as after an update of the program. */
  | { readonly type: 'change-prompt'; readonly without: string };

/** How the turns that follow from something said go on. */
export interface Course {
  /** What the models answer, in order; behind them all is well. */
  readonly answers: readonly Answer[];
  readonly summaries: readonly Answer[];
  readonly interjections: readonly Interjection[];
  /** What is done in the first wait between two tries. */
  readonly inFirstWait: 'nothing' | 'stop' | 'steer' | 'restart';
}

/** What somebody does at a moment of the turn, when that comes for the nth time. */
export interface Interjection {
  readonly at: FaultPoint;
  readonly nth: number;
  readonly act: Act;
}

export type Act = 'steer' | 'stop' | 'restart' | 'compact';

const words = fc.constantFrom(
  'hello',
  'naïve 日本語',
  'a "quoted" word',
  'half \ud83d pair',
  '</user-message>',
  '{"json":1}',
  Array.from({ length: 150 }, (_, index) => `word${index}`).join(' '),
);

const vendors: Readonly<Record<ApiMode, readonly (readonly [string, string])[]>> = {
  chat_completions: [
    ['custom', 'plain'],
    ['openrouter', 'some/model'],
    ['openrouter', 'anthropic/claude-sonnet-4.5'],
    ['deepseek', 'deepseek-flash'],
    ['gemini', 'gemini-flash'],
  ],
  anthropic_messages: [
    ['custom', 'claude-opus-4-7'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-opus-4-8'],
  ],
  codex_responses: [
    ['custom', 'thinker'],
    ['openai', 'gpt-5.4'],
  ],
};

const apiModes = Object.keys(vendors) as readonly ApiMode[];
const speakers = apiModes.flatMap((apiMode) =>
  vendors[apiMode].map(([vendor, model]) => ({ apiMode, vendor, model }) as const),
);

const runtime: fc.Arbitrary<RuntimePlan> = fc
  .record({
    // By protocol first, so that each gets its share.
    speaker: fc
      .constantFrom(...apiModes)
      .chain((mode) => fc.constantFrom(...speakers.filter((each) => each.apiMode === mode))),
    keys: fc.constantFrom(1, 1, 2, 3),
    state: fc.nat(19).map((chance): RuntimePlan['state'] => (chance === 19 ? 'down' : 'up')),
  })
  .map(({ speaker, keys, state }) => ({ ...speaker, keys, state }));

const setup: fc.Arbitrary<Setup> = fc.record({
  runtimes: fc.uniqueArray(runtime, {
    minLength: 1,
    maxLength: 3,
    selector: ({ vendor, model }) => `${vendor}:${model}`,
  }),
  window: fc.constantFrom(undefined, 3500, 4500, 4500),
  mostSteps: fc.constantFrom(90, 90, 3),
  consent: fc.constantFrom('approved', 'approved', 'denied'),
});

const points: readonly FaultPoint[] = [
  'claimed',
  'step-asked',
  'answer-streaming',
  'step-finished',
  'tool-called',
  'tool-ran',
  'tool-settled',
  'turn-settled',
];

const interjection: fc.Arbitrary<Interjection> = fc.record({
  at: fc.constantFrom(...points),
  nth: fc.constantFrom(1, 1, 2, 3),
  act: fc.constantFrom('steer', 'steer', 'stop', 'restart', 'compact'),
});

/** Most answers come once; a server that fails may do so until nobody asks it any more. */
const answerRun = fc
  .record({ answer: anyAnswer, times: fc.constantFrom(1, 1, 4) })
  .map(({ answer, times }) => Array.from({ length: answer.type === 'stalls' ? 1 : times }, () => answer));

const course = {
  answers: fc.array(answerRun, { maxLength: 4, size: 'max' }).map((runs) => runs.flat()),
  summaries: fc.array(anySummary, { maxLength: 2 }),
  interjections: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(interjection, { maxLength: 2 }) },
  ),
  inFirstWait: fc.constantFrom('nothing', 'nothing', 'nothing', 'stop', 'steer', 'restart'),
} as const;

const calmCourse = { ...course, answers: fc.constant([]) } as const;

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ type: fc.constant('say'), text: words, ...course }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('compact'), ...calmCourse }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('undo'), ...calmCourse }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart') }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('think'), effort: fc.constantFrom('low', 'high', 'default') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('pass-time'), ms: fc.constantFrom(30_000, 90_000, 600_000, 86_400_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('change-prompt'),
      without: fc.constantFrom('patch', 'read_file', 'nothing'),
    }),
  },
);

export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  setup,
  moves: fc.array(move, { minLength: 1, maxLength: 10, size: 'max' }),
});
