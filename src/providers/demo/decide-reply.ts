import type { JsonObject } from '../../base/json.ts';
import { usualKeys } from '../../model/connect-advice.ts';
import type { Manner } from './command-line.ts';
import { compose } from './compose.ts';
import type { DemoRequest, DemoRound } from './demo-request.ts';
import { describeRound, findLastCommand, firstPathIn, onlyPathIn } from './describe-round.ts';
import type { Intent } from './intent.ts';
import { writeAppending, writeDeleting, writeListing, writeServing } from './own-commands.ts';
import { findProcess } from './processes.ts';
import { understand } from './understand.ts';

export type DemoReply =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly input: JsonObject };

const introduction =
  `I am Talaria's offline demo model: no AI answers here. To connect a real one, set ${usualKeys}, or start Ollama, ` +
  'and start again.';

const abilities = [
  'I can list files, read a file, search in files, run a command, tell the time, write to a file (a small poem, haiku, ' +
    'list or note, or the words you give), change, append to or delete a file, and look after processes in the background.',
  'Try: list the files here · run `uname -a` · write hello to out.txt · change hello to bye in out.txt · ' +
    'append bye to out.txt · delete out.txt · write a poem to poem.txt · start a server in the background · ' +
    'what is running · stop it · run `touch out.txt` outside the sandbox',
].join(' ');

/**
 * What the demo says or does next. Each thing that was asked for takes one call at most, and a call that went wrong is
 * the last one, so it always comes to an end. Pure.
 */
export function decideReply(request: DemoRequest): DemoReply {
  const paragraphs = request.pictures.length === 0 ? [] : [describeUnseen(request.pictures)];
  let used = 0;
  for (const intent of request.wishes.flatMap(understand)) {
    const step = planStep(intent, [...request.earlier, ...request.rounds.slice(0, used)]);
    const round = request.rounds[used];
    if (step.type === 'say') {
      // Not understanding several things takes no more words than not understanding one.
      if (intent.type !== 'unclear' || !paragraphs.includes(step.text)) paragraphs.push(step.text);
    } else if (round !== undefined) {
      used += 1;
      const description = describeRound(round);
      paragraphs.push(description.text);
      if (description.type === 'bad') break;
    } else if (request.tools.has(step.tool)) return step;
    else paragraphs.push(`For that I would need the tool ${step.tool}, which I have not been given.`);
  }
  if (paragraphs.length === 0) paragraphs.push(abilities);
  return { type: 'say', text: [...(request.hasSpoken === 'yes' ? [] : [introduction]), ...paragraphs].join('\n\n') };
}

function describeUnseen(pictures: readonly string[]): string {
  return `I take no pictures. All that I read is: ${pictures.join(' ')}`;
}

function planStep(intent: Intent, past: readonly DemoRound[]): DemoReply {
  const last = past.at(-1);
  switch (intent.type) {
    case 'list':
      return call('terminal', { command: writeListing(intent.path) });
    case 'time':
      return call('terminal', { command: 'date' });
    case 'run':
      return planRun(intent, past);
    case 'serve':
      return callTerminal(writeServing(intent.port), { where: intent.where, waits: 'not-at-all' });
    case 'processes':
      return call('process', { action: 'list' });
    case 'stop':
      return onProcess(intent.id, past, 'kill');
    case 'output':
      return onProcess(intent.id, past, 'read');
    case 'read':
      return onFile(intent.path ?? (last && firstPathIn(last)), (path) => call('read_file', { path }));
    case 'write':
      return planWrite(intent.path, intent.text.endsWith('\n') ? intent.text : `${intent.text}\n`);
    case 'append':
      return onFile(intent.path ?? (last && onlyPathIn(last)), (path) =>
        call('terminal', { command: writeAppending(path, intent.text) }),
      );
    case 'replace':
      return onFile(intent.path ?? (last && onlyPathIn(last)), (path) => call('patch', patchOf(path, intent)));
    case 'delete':
      return onFile(intent.path ?? (last && onlyPathIn(last)), (path) =>
        call('terminal', { command: writeDeleting(path) }),
      );
    case 'compose':
      return planWrite(intent.path, compose(intent.form, intent.topic));
    case 'find':
      return call('search_files', { pattern: patternFor(intent), target: intent.among, path: intent.path });
    case 'say':
      return say(capitalise(intent.text));
    case 'greet':
      return say(`Hello. ${abilities}`);
    case 'unclear':
      return say(`I do not understand that: I am a demo that knows a few rules, not a language model. ${abilities}`);
  }
}

function planRun(intent: Extract<Intent, { readonly type: 'run' }>, past: readonly DemoRound[]): DemoReply {
  if (intent.command !== undefined) return callTerminal(intent.command, intent);
  const last = findLastCommand(past);
  if (last === undefined) return say('I have run no command yet: name it.');
  return callTerminal(last.command, { ...intent, waits: last.waits === 'not-at-all' ? last.waits : intent.waits });
}

function callTerminal(command: string, { where, waits }: Manner): DemoReply {
  const background = waits === 'not-at-all' && { background: true };
  return call('terminal', { command, ...background, ...(where === 'outside' && { outside: true }) });
}

function onProcess(id: string | undefined, past: readonly DemoRound[], action: 'kill' | 'read'): DemoReply {
  const meant = id ?? findProcess(past);
  if (meant !== undefined) return call('process', { action, id: meant });
  return say(
    'I know of no background process here. Ask what is running, or start one: start a server in the background.',
  );
}

function onFile(path: string | undefined, plan: (path: string) => DemoReply): DemoReply {
  return path === undefined ? say('I do not know which file you mean: name it.') : plan(path);
}

function patchOf(path: string, { old, by, where }: Extract<Intent, { readonly type: 'replace' }>): JsonObject {
  return { path, old_string: old, new_string: by, ...(where === 'everywhere' && { replace_all: true }) };
}

/** Without a file to write to, what was made up is the answer. */
function planWrite(path: string | undefined, content: string): DemoReply {
  return path === undefined ? say(content.trimEnd()) : call('write_file', { path, content });
}

/** Words are searched for as they stand; the tool reads a pattern. */
function patternFor(intent: Extract<Intent, { readonly type: 'find' }>): string {
  return intent.among === 'files' ? intent.what : intent.what.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function capitalise(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function call(tool: string, input: JsonObject): DemoReply {
  return { type: 'call', tool, input };
}

function say(text: string): DemoReply {
  return { type: 'say', text };
}
