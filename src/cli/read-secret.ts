import type { ProcessPort } from './app-port.ts';

type Input = Pick<ProcessPort, 'stdin' | 'stderr'>;

const enter = /[\r\n]/;
const interrupt = '\u0003';
const end = '\u0004';
const longest = 1000;

/** Reads a line from the terminal that nobody sees being typed. Undefined where it is called off with Ctrl-C or Ctrl-D. */
export async function readSecret(question: string, { stdin, stderr }: Input): Promise<string | undefined> {
  stdin.setEncoding('utf8');
  // Before the question: whoever is fast would see what is typed in between.
  stdin.setRawMode(true);
  stderr.write(question);
  let typed = '';
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === interrupt || character === end) return undefined;
        if (enter.test(character)) return typed;
        typed = edit(typed, character);
      }
    }
    return undefined;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

function edit(typed: string, character: string): string {
  if (character === '\u007F' || character === '\b') return typed.slice(0, -1);
  return character < ' ' || typed.length >= longest ? typed : typed + character;
}

/** The first line of what comes in. */
export async function readPipedSecret({ stdin }: Pick<Input, 'stdin'>): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += String(chunk);
    if (enter.test(text.trimStart()) || text.length > longest) break;
  }
  return text.trim().split(enter)[0] ?? '';
}
