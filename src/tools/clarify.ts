import { list, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { done, failed, settle } from './tool-outcomes.ts';

const mostChoices = 4;

const inputSchema = object({
  question: string('one question', { minLength: 1 }),
  choices: optional(list(string('an answer', { minLength: 1 }), 'up to 4; free text is always possible')),
});

type ClarifyInput = ValueOf<typeof inputSchema>;

/** Asks the person what the model cannot decide. */
export function createClarify(): Tool<ClarifyInput> {
  return {
    name: 'clarify',
    toolset: 'clarify',
    description: 'Ask the user and wait for the answer. Only where you cannot go on without it; not for consent.',
    input: inputSchema,
    // Asked again after a crash, unless the answer is in the log. It touches nothing, but runs alone: one question at a time.
    effect: 'idempotent',
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: () => ({ type: 'anything' }),
    run: ({ question, choices = [] }, context) => {
      return settle(context.signal, async () => {
        if (choices.length > mostChoices) return failed(`at most ${mostChoices} choices`);
        if (question.trim() === '') return failed('the question is empty');
        const end = await context.ask({ text: question.trim(), choices: choices.map((choice) => choice.trim()) });
        switch (end.type) {
          case 'answered':
            return done(`The user answers: ${end.text}`);
          case 'nobody':
            return done('Nobody can be asked here. Decide yourself, and say what you assumed.');
          case 'silence':
            return done('The user did not answer in time. Decide yourself, and say what you assumed.');
        }
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
