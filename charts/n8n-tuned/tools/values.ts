// Reads values.yaml with its prose: every value with its path, default, section and sentence. Where a preset may set it, it
// is null there and its default is in files/defaults.yaml.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMap, isScalar, parse, parseDocument, type Node, type Pair, type YAMLMap } from 'yaml';

const SECTION = /^\s*@section -- (.+)$/m;
/** A sentence may go on over further lines; an empty one ends it, and what follows is for readers of values.yaml alone. */
const TEXT = /^\s*-- (.+(?:\n(?!\s*(?:--|@section) )[^\S\n]*\S.*)*)/m;

/** A leaf of values.yaml. */
export interface Value {
  path: string[];
  value: unknown;
  /** All or a part of the value is from files/defaults.yaml. */
  isUnset: boolean;
  section: string;
  text: string | undefined;
}

/** In their order. */
export function readValues(file: string): Value[] {
  const document = parseDocument(readFileSync(file, 'utf8'));
  const defaults = readDefaults(join(dirname(file), 'files/defaults.yaml'));
  const found: Value[] = [];
  let section = SECTION.exec(document.commentBefore ?? '')?.[1] ?? 'Names';
  const visit = (map: YAMLMap, path: readonly string[]): void => {
    for (const [index, pair] of (map.items as Pair<Node, Node>[]).entries()) {
      const { key, value } = pair;
      // The first key's comment hangs on the map itself.
      const comment = [index === 0 ? map.commentBefore : '', key.commentBefore]
        .filter(Boolean)
        .join('\n');
      section = SECTION.exec(comment)?.[1] ?? section;
      const text = TEXT.exec(comment)?.[1]?.replaceAll(/\s*\n\s*/g, ' ');
      const at = [...path, String(key.toJSON())];
      if (isMap(value) && value.items.length > 0 && text === undefined) visit(value, at);
      else {
        const given: unknown = isScalar(value) ? value.value : value?.toJSON();
        found.push({ path: at, ...withDefault(given, at, defaults), section, text });
      }
    }
  };
  visit(document.contents as YAMLMap, []);
  return found;
}

function withDefault(
  value: unknown,
  path: readonly string[],
  defaults: unknown,
): Pick<Value, 'value' | 'isUnset'> {
  const filled = path.reduce<unknown>(
    (map, key) => (map as Record<string, unknown> | undefined)?.[key],
    defaults,
  );
  if (filled === undefined) return { value, isUnset: false };
  return {
    value: value === null ? filled : { ...(value as object), ...(filled as object) },
    isUnset: true,
  };
}

/** Nothing where a chart has no presets. */
export const readDefaults = (file: string): unknown =>
  existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
