// Which parts were under way at the same time: those of a round begin together, and the next round may begin while they wait.

export class Beside {
  #up = new Set();

  /** One more of a round is under way, until what this gives is given to `ends`. */
  begins(round) {
    const begun = { round, most: 0 };
    this.#up.add(begun);
    for (const one of this.#up) {
      const others = [...this.#up].filter(({ round }) => round !== one.round).length;
      one.most = Math.max(one.most, others);
    }
    return begun;
  }

  /** How many of other rounds were under way at once beside it, at the most. */
  ends(begun) {
    this.#up.delete(begun);
    return begun.most;
  }
}
