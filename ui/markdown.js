import { lexer } from './marked.js';

/** @import { Token, Tokens } from 'marked' */

const safeLink = /^(https?:|mailto:)/i;
const deepest = 30;

/**
 * Markdown as nodes. Text only ever becomes text nodes, and links lead only to the web or to a mailbox: whatever a model
 * wrote, HTML included, is shown as it was written.
 * @param {string} source
 * @returns {DocumentFragment}
 */
export function renderMarkdown(source) {
  const fragment = document.createDocumentFragment();
  try {
    fragment.append(...renderAll(lexer(source), 0));
  } catch {
    // What cannot be taken apart is shown whole.
    fragment.replaceChildren(source);
  }
  return fragment;
}

/**
 * @param {readonly Token[] | undefined} tokens
 * @param {number} depth
 * @returns {Node[]}
 */
function renderAll(tokens, depth) {
  if (depth > deepest) return [document.createTextNode((tokens ?? []).map(({ raw }) => raw).join(''))];
  return (tokens ?? []).flatMap((token) => renderToken(token, depth + 1));
}

/**
 * @param {Token} token
 * @param {number} depth
 * @returns {Node[]}
 */
function renderToken(token, depth) {
  const inner = () => renderAll('tokens' in token ? token.tokens : undefined, depth);
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      // Below the one heading of the page.
      return [make(`h${Math.min(6, token.depth + 1)}`, inner())];
    case 'paragraph':
      return [make('p', inner())];
    case 'blockquote':
      return [make('blockquote', inner())];
    case 'code':
      return [make('pre', [make('code', [text(token.text)])])];
    case 'hr':
      return [make('hr', [])];
    case 'br':
      return [make('br', [])];
    case 'list':
      return [renderList(/** @type {Tokens.List} */ (token), depth)];
    case 'table':
      return [renderTable(/** @type {Tokens.Table} */ (token), depth)];
    case 'strong':
    case 'em':
    case 'del':
      return [make(token.type, inner())];
    case 'codespan':
      return [make('code', [text(token.text)])];
    case 'link':
      return renderLink(/** @type {Tokens.Link} */ (token), inner());
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inner() : [text(token.text)];
    // Pictures of elsewhere are not fetched, HTML is not obeyed, and what comes to exist later is not trusted.
    default:
      return [text(token.raw)];
  }
}

/**
 * @param {Tokens.List} list
 * @param {number} depth
 */
function renderList(list, depth) {
  const items = list.items.map((item) => {
    const box = item.task ? [text(item.checked === true ? '☑ ' : '☐ ')] : [];
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox');
    return make('li', [...box, ...renderAll(tokens, depth)]);
  });
  const node = make(list.ordered ? 'ol' : 'ul', items);
  if (list.ordered && list.start !== '' && list.start !== 1) node.setAttribute('start', String(list.start));
  return node;
}

/**
 * @param {Tokens.Table} table
 * @param {number} depth
 */
function renderTable(table, depth) {
  /** @param {string} name @param {Tokens.TableCell[]} cells */
  const row = (name, cells) =>
    make(
      'tr',
      cells.map((cell) => make(name, renderAll(cell.tokens, depth))),
    );
  const rows = table.rows.map((cells) => row('td', cells));
  return make('table', [make('thead', [row('th', table.header)]), make('tbody', rows)]);
}

/**
 * @param {Tokens.Link} link
 * @param {Node[]} inner
 * @returns {Node[]}
 */
function renderLink(link, inner) {
  const href = link.href.trim();
  if (!safeLink.test(href) || !URL.canParse(href)) return [text(link.raw)];
  const node = /** @type {HTMLAnchorElement} */ (make('a', inner));
  node.href = href;
  node.target = '_blank';
  node.rel = 'noopener noreferrer nofollow';
  return [node];
}

/**
 * @param {string} name
 * @param {readonly Node[]} children
 * @returns {HTMLElement}
 */
function make(name, children) {
  const node = document.createElement(name);
  node.append(...children);
  return node;
}

/** @param {string} content */
function text(content) {
  return document.createTextNode(content);
}
