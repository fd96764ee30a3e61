// Rounds of parts, one after the other. A round may begin when the loads of the one before are over, while that one still
// waits for what its loads left behind: no more than two rounds are under way at a time.

/**
 * `next` gives the parts of the next round, none when there is nothing left. `begin` starts them and gives two promises:
 * `loaded`, and `ended`. `wantsAll`: whether a round wants the machine for itself.
 */
export async function inRounds({ next, begin, wantsAll }) {
  let before = Promise.resolve();
  for (let parts = next(); parts.length > 0; parts = next()) {
    if (wantsAll(parts)) await before;
    const { loaded, ended } = begin(parts);
    // Told where it is waited for, at the latest below.
    ended.catch(() => undefined);
    await Promise.race([loaded, ended]);
    await before;
    before = ended;
  }
  await before;
}
