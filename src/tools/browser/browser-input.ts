import { integer, object, oneOf, optional, string } from '../../model/schema.ts';
import type { ValueOf } from '../../model/schema.ts';

const actions = ['open', 'snapshot', 'click', 'type', 'press', 'scroll', 'back', 'screenshot', 'tab', 'close'] as const;

/** What the model says to the browser: one tool with an action costs a third of a tool for each. */
export const browserInput = object({
  action: oneOf(actions, 'what to do'),
  url: optional(string('for open')),
  ref: optional(string('element in the last snapshot, such as e5; for click, type, screenshot')),
  text: optional(string('for type; a line end behind it presses Enter. For press: a key. For scroll: up, down')),
  number: optional(integer('of a tab, for tab; of a line to begin at, for snapshot')),
});

export type BrowserInput = ValueOf<typeof browserInput>;
