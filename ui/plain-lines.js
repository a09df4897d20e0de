/**
 * What the program prints, line by line. Where a line has two columns, as in a list of commands, a narrow screen shows the
 * second one below the first. The text itself stays as it is.
 * @param {string} text
 * @returns {DocumentFragment}
 */
export function renderLines(text) {
  const fragment = document.createDocumentFragment();
  for (const line of text.split('\n')) {
    const node = document.createElement('div');
    node.className = 'line';
    const [, first = line, gap = '', second = ''] = /^(\s*\S.*?)( {2,})(\S.*)$/.exec(line) ?? [];
    // A line without anything is as high as any other.
    node.append(first === '' ? '\u00a0' : first);
    if (second !== '') node.append(makeSpan('gap', gap), makeSpan('second', second));
    fragment.append(node);
  }
  return fragment;
}

/**
 * @param {string} name
 * @param {string} text
 */
function makeSpan(name, text) {
  const node = document.createElement('span');
  node.className = name;
  node.append(text);
  return node;
}
