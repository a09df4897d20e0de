/** @typedef {{ atMost: 'session' | 'always', label: string }} Offer */
/** @typedef {{ id: string, digest: string, heading?: string, text: string, offer?: Offer, choices?: readonly string[] }} Question */
/** @typedef {{ verdict: 'approved' | 'denied', scope?: 'session' | 'always' } | { choice: string }} Answer */
/** @typedef {{ label: string, answer: Answer }} Button */

/**
 * A question and its answers. It goes when it is concluded, here or elsewhere.
 * @param {Question} question
 * @param {(answer: Answer) => Promise<void>} onAnswer
 */
export function makeQuestion({ id, heading, text, offer, choices }, onAnswer) {
  const body = document.createElement('pre');
  body.className = 'body';
  body.tabIndex = 0;
  body.textContent = text;
  const buttons = document.createElement('div');
  buttons.className = 'choices';
  for (const { label, answer } of choices ? buttonsToChoose(choices) : buttonsToConsent(offer)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    if ('verdict' in answer && answer.verdict === 'denied') button.className = 'deny';
    button.addEventListener('click', () => void onAnswer(answer));
    buttons.append(button);
  }
  const node = document.createElement('section');
  node.className = 'question';
  node.id = id;
  node.setAttribute('aria-label', 'A question that waits for your answer');
  if (heading !== undefined) {
    const line = document.createElement('p');
    line.className = 'heading';
    line.textContent = heading;
    node.append(line);
  }
  node.append(body, buttons);
  return node;
}

/**
 * @param {readonly string[]} choices
 * @returns {readonly Button[]}
 */
function buttonsToChoose(choices) {
  return choices.map((label, index) => ({ label, answer: { choice: String(index) } }));
}

/**
 * @param {Question['offer']} offer
 * @returns {readonly Button[]}
 */
function buttonsToConsent(offer) {
  /** @type {Button} */
  const deny = { label: 'Deny', answer: { verdict: 'denied' } };
  if (offer === undefined) return [{ label: 'Allow', answer: { verdict: 'approved' } }, deny];
  /** @type {Button[]} */
  const allow = [
    { label: 'Once', answer: { verdict: 'approved' } },
    { label: 'Session', answer: { verdict: 'approved', scope: 'session' } },
  ];
  if (offer.atMost === 'always') {
    allow.push({ label: `Always ${offer.label}`, answer: { verdict: 'approved', scope: 'always' } });
  }
  return [...allow, deny];
}
