import { isJsonObject } from '../../../src/base/json.ts';
import type { Json } from '../../../src/base/json.ts';
import { callsTool, says } from '../../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../../support/model-script.ts';

/** Does what it is told in the chat. */
export class StoryModel {
  /** Turns that are to wait do so for this. */
  gate = Promise.withResolvers<void>();
  waiting = 0;

  async answer({ json }: SeenRequest): Promise<ModelStep> {
    const messages = (Array.isArray(json?.['messages']) ? json['messages'] : []) as readonly Json[];
    const asked = textOf(messages.findLast((message) => isJsonObject(message) && message['role'] === 'user'));
    const last = messages.at(-1);
    if (isJsonObject(last) && last['role'] === 'tool') return says(`It said: ${textOf(last)}`);
    const [, command] = /run (.*) in the (?:fore|back)ground/.exec(asked) ?? [];
    if (command !== undefined) return callsTool('terminal', { command, background: asked.endsWith('background') });
    if (!asked.includes('wait')) return says('Hello.');
    this.waiting += 1;
    await this.gate.promise;
    return says('Waited.');
  }
}

function textOf(message: Json | undefined): string {
  const content = isJsonObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
