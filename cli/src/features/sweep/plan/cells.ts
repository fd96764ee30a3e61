export type Value = string | number;

/** One combination of values, a value a dimension. */
export type Cell = Readonly<Record<string, Value>>;

/** Says why a cell cannot exist, in one sentence; null when it can. */
export type Rule = (cell: Cell) => string | null;

export interface Cells {
  possible: Cell[];
  skipped: { cell: Cell; reason: string }[];
}

/** Every combination, in the order of the dimensions; those that cannot exist apart, with the reason. */
export function matrix(
  dimensions: Readonly<Record<string, readonly Value[]>>,
  rules: readonly Rule[],
): Cells {
  let cells: Cell[] = [{}];
  for (const [name, values] of Object.entries(dimensions)) {
    cells = cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value })));
  }
  return sift(cells, rules);
}

/** A list of cells as it is, less those that cannot exist. */
export function sift(cells: readonly Cell[], rules: readonly Rule[]): Cells {
  const result: Cells = { possible: [], skipped: [] };
  const seen = new Set<string>();
  for (const cell of cells) {
    const key = cellKey(cell);
    const reason = seen.has(key)
      ? 'the plan already has this cell'
      : (rules.map((rule) => rule(cell)).find((text) => text !== null) ?? null);
    seen.add(key);
    if (reason === null) result.possible.push(cell);
    else result.skipped.push({ cell, reason });
  }
  return result;
}

/** Says the same of equal cells, whatever the order of their dimensions. */
export function cellKey(cell: Cell): string {
  return Object.keys(cell)
    .sort()
    .map((name) => `${name}=${String(cell[name])}`)
    .join(',');
}

/** One run of the sweep. Its id stays the same when the plan is made again, so that it can be resumed. */
export interface Step {
  id: string;
  block: number;
  cell: Cell;
  isControl: boolean;
}
