// Behind a wider one too little room is left.
const widestColumn = 48;

/**
 * What the program prints, line by line. Where a line has two columns, as in a list of commands, the second one goes on below
 * its own beginning; a narrow screen shows it below the first. The text itself stays as it is.
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
    const column = first.length + gap.length;
    if (second !== '' && column <= widestColumn) node.style.setProperty('--column', `${column}ch`);
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
