/**
 * What was begun in a chat and not sent, as long as the tab is there.
 * @param {string} chat
 */
export function readDraft(chat) {
  return sessionStorage.getItem(placeOf(chat)) ?? '';
}

/**
 * @param {string} chat
 * @param {string} text
 */
export function keepDraft(chat, text) {
  try {
    if (text === '') sessionStorage.removeItem(placeOf(chat));
    else sessionStorage.setItem(placeOf(chat), text);
  } catch {
    // One that is larger than what a browser keeps stays in its field alone, and no older one comes back for it.
    sessionStorage.removeItem(placeOf(chat));
  }
}

/** @param {string} chat */
function placeOf(chat) {
  return `draft:${chat}`;
}
