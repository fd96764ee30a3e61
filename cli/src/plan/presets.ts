/** What the chart puts where its values say nothing, as its templates/_presets.tpl does. Pure. */

type Map = Record<string, unknown>;

/** Maps in which null takes a key out; everywhere else it means "not set". */
const TAKEN_OUT = ['resources', 'podSecurityContext'];

const isMap = (value: unknown): value is Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges like Helm: maps by key, null takes out what is below and stays if nothing is, all else is replaced. */
export function merged(below: unknown, above: unknown): unknown {
  if (!isMap(below) || !isMap(above)) return above === undefined ? below : above;
  const result: Map = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === null && key in below) Reflect.deleteProperty(result, key);
    else result[key] = merged(below[key], value);
  }
  return result;
}

/** The names under `preset`, the later one first, because it wins. */
export function presetsOf(values: unknown): string[] {
  const named = isMap(values) ? (values['preset'] ?? []) : [];
  return [named].flat().map(String).reverse();
}

/** The values with each layer under those before it. */
export function filled(values: unknown, layers: readonly unknown[]): unknown {
  return withoutTakenOut(layers.reduce((above, layer) => over(above, layer, false), values));
}

function over(above: unknown, below: unknown, isTakenOut: boolean): unknown {
  if (!isMap(above) || !isMap(below)) return above ?? (isTakenOut ? above : below);
  const result = { ...above };
  for (const [key, value] of Object.entries(below)) {
    const inner = isTakenOut || TAKEN_OUT.includes(key);
    // values.yaml has a map here: without it, the user's null took all of it out.
    if (!(key in above) && !isTakenOut && inner) continue;
    result[key] = key in above ? over(above[key], value, inner) : value;
  }
  return result;
}

function withoutTakenOut(value: unknown, isTakenOut = false): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => !(isTakenOut && inner === null))
      .map(([key, inner]) => [key, withoutTakenOut(inner, isTakenOut || TAKEN_OUT.includes(key))]),
  );
}
