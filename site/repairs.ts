// What VitePress's theme gets wrong for a screen reader, repaired in its source as it is built. The version is pinned; a
// later one that reads differently ends the build, so that each repair is looked at again.

const REPAIRS: Record<string, ReadonlyArray<readonly [from: string | RegExp, to: string]>> = {
  // The shortcut beside its name is drawn by style.css, and not read out.
  'VPNavBarSearchButton.vue': [
    [
      '<kbd class="DocSearch-Button-Key">K</kbd>',
      '<kbd class="DocSearch-Button-Key" data-key="K"></kbd>',
    ],
  ],
  'VPLocalSearchBox.vue': [
    [
      /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    // A result is its link. The arrows lead to it; its text says what it is.
    [
      /:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]+"\s+role="option"/,
      'role="presentation"',
    ],
    [
      /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
      `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index" role="option" tabindex="-1"`,
    ],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  ],
};

export const repairs = {
  name: 'repairs-for-screen-readers',
  enforce: 'pre',
  transform(code: string, id: string): string | undefined {
    const [file = '', query] = id.split('?');
    const wanted = REPAIRS[file.split('/').at(-1) ?? ''];
    if (wanted === undefined || query !== undefined) return undefined;
    return wanted.reduce((made, [from, to]) => {
      const next = made.replace(from, to);
      if (next === made) throw new Error(`site/repairs.ts: ${String(from)} is not in ${file}`);
      return next;
    }, code);
  },
};
