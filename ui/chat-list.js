/**
 * @typedef {object} ChatSummary
 * @property {string} chat
 * @property {string} title
 */

/**
 * The chats at the side, newest first.
 * @param {HTMLElement} list
 * @param {readonly ChatSummary[]} chats
 * @param {string} current
 */
export function showChats(list, chats, current) {
  list.replaceChildren(
    ...chats.map(({ chat, title }) => {
      const link = document.createElement('a');
      link.href = `#chat=${encodeURIComponent(chat)}`;
      link.textContent = title === '' ? '(no title)' : title;
      if (chat === current) link.setAttribute('aria-current', 'page');
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
}
