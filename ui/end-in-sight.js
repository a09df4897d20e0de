const nearEnd = 80;

/** Keeps the end in sight, whatever grows and however the window changes. Whoever reads further up is left there. */
export class EndInSight {
  #node;
  #isWanted = true;
  #last = 0;

  /** @param {HTMLElement} node */
  constructor(node) {
    this.#node = node;
    node.addEventListener('scroll', () => this.#notice());
    const watching = new ResizeObserver(() => {
      if (this.#isWanted) this.show();
    });
    for (const each of [node, ...node.children]) watching.observe(each);
  }

  show() {
    this.#isWanted = true;
    this.#node.scrollTop = this.#node.scrollHeight;
    this.#last = this.#node.scrollTop;
  }

  /** What has just grown takes the end away from who is there; only who goes up wants to leave it. */
  #notice() {
    const { scrollTop, scrollHeight, clientHeight } = this.#node;
    if (scrollHeight - scrollTop - clientHeight < nearEnd) this.#isWanted = true;
    else if (scrollTop < this.#last) this.#isWanted = false;
    this.#last = scrollTop;
  }
}
