/** The lines of a stream, without their ends; the last one needs none. */
export async function* inputLines(stdin: NodeJS.ReadStream): AsyncGenerator<string, void> {
  stdin.setEncoding('utf8');
  let rest = '';
  for await (const chunk of stdin) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest;
}
