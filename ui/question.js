/** @typedef {{ atMost: 'session' | 'always', label: string }} Offer */
/** @typedef {{ id: string, digest: string, text: string, offer?: Offer }} Question */
/** @typedef {{ label: string, verdict: 'approved' | 'denied', scope?: 'session' | 'always' }} Choice */

/**
 * A question and its answers. It goes when it is concluded, here or elsewhere.
 * @param {Question} question
 * @param {(choice: Choice) => Promise<void>} onAnswer
 */
export function makeQuestion({ id, text, offer }, onAnswer) {
  const body = document.createElement('pre');
  body.className = 'body';
  body.tabIndex = 0;
  body.textContent = text;
  const choices = document.createElement('div');
  choices.className = 'choices';
  for (const choice of choicesFor(offer)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = choice.label;
    if (choice.verdict === 'denied') button.className = 'deny';
    button.addEventListener('click', () => void onAnswer(choice));
    choices.append(button);
  }
  const node = document.createElement('section');
  node.className = 'question';
  node.id = id;
  node.setAttribute('aria-label', 'A question that waits for your answer');
  node.append(body, choices);
  return node;
}

/**
 * @param {Question['offer']} offer
 * @returns {readonly Choice[]}
 */
function choicesFor(offer) {
  /** @type {Choice} */
  const deny = { label: 'Deny', verdict: 'denied' };
  if (offer === undefined) return [{ label: 'Allow', verdict: 'approved' }, deny];
  /** @type {Choice[]} */
  const allow = [
    { label: 'Once', verdict: 'approved' },
    { label: 'Session', verdict: 'approved', scope: 'session' },
  ];
  if (offer.atMost === 'always') allow.push({ label: `Always ${offer.label}`, verdict: 'approved', scope: 'always' });
  return [...allow, deny];
}
