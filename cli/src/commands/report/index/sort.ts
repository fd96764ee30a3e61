/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Sorts the rows by the heading that was chosen, the other way round when it is chosen again. It runs in the reader's
 * browser: this one function is written into the page as it stands, so it may use nothing from outside itself, and has
 * a file of its own for the types of the browser.
 */
function sortable(): void {
  document.querySelectorAll<HTMLTableElement>('table.index').forEach((table) => {
    const heads = [...table.querySelectorAll<HTMLTableCellElement>('thead th')];
    const body = table.tBodies[0];
    heads.forEach((head, column) => {
      head.querySelector('button')?.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        const isNumber = head.dataset['kind'] === 'number';
        const keyOf = (row: HTMLTableRowElement) => row.cells[column]?.dataset['by'] ?? '';
        const rows = [...(body?.rows ?? [])].sort((a, b) => {
          const [one, other] = [keyOf(a), keyOf(b)];
          // What is not known comes last, whichever way.
          if (one === '' || other === '') return one === other ? 0 : one === '' ? 1 : -1;
          const order = isNumber ? Number(one) - Number(other) : one.localeCompare(other);
          return down ? -order : order;
        });
        body?.append(...rows);
        heads.forEach((each) => each.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      });
    });
  });
}

export const SORT_SCRIPT = `(${sortable.toString()})()`;
