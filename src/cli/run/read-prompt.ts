import { AppError } from '../../base/errors.ts';
import type { ProcessPort } from '../app-port.ts';

type Input = Pick<ProcessPort, 'stdin' | 'stdinType' | 'stderr'>;

const mostCharacters = 8 * 1024 * 1024;
const patienceMs = 3000;

/**
 * The prompt of a one-shot: the words, what comes in on stdin, or the first with the second behind it. Nothing will do where
 * there is a picture.
 */
export async function readPrompt(
  words: readonly string[],
  input: Input,
  without: 'refused' | 'allowed' = 'refused',
): Promise<string> {
  const onlyStdin = words.length === 1 && words[0] === '-';
  const spoken = onlyStdin ? '' : words.join(' ').trim();
  const type = input.stdinType();
  const piped = type === 'data' || (type === 'terminal' && onlyStdin) ? await readAll(input) : '';
  const prompt = [spoken, piped].filter((text) => text !== '').join('\n\n');
  if (prompt === '' && without === 'refused')
    throw new AppError('bad-usage', 'there is no prompt; give one: talaria run "what time is it?"');
  return prompt;
}

async function readAll({ stdin, stderr }: Input): Promise<string> {
  // Started by another program with a pipe that nobody closes, this would wait for good without a word.
  const hint = setTimeout(() => stderr.write('reading the prompt from stdin until it ends …\n'), patienceMs);
  try {
    stdin.setEncoding('utf8');
    let text = '';
    for await (const chunk of stdin) {
      text += String(chunk);
      if (text.length > mostCharacters)
        throw new AppError('bad-usage', 'what comes in on stdin is too long for a prompt');
    }
    return text.replace(/^\uFEFF/, '').trim();
  } finally {
    clearTimeout(hint);
  }
}
