// Reads values.yaml with its prose: every value with its path, default, section and sentence. Where a preset may set it, it
// is null there and its default is in files/defaults.yaml.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseDocument, isMap, isScalar } from 'yaml';

const SECTION = /^\s*@section -- (.+)$/m;
/** A sentence may go on over further lines; an empty one ends it, and what follows is for readers of values.yaml alone. */
const TEXT = /^\s*-- (.+(?:\n(?!\s*(?:--|@section) )[^\S\n]*\S.*)*)/m;

/**
 * @returns {{ path: string[], value: unknown, isUnset: boolean, section: string, text: string | undefined }[]} leaves, in
 * order; `isUnset` where all or a part of the value is from files/defaults.yaml
 */
export function readValues(file) {
  const document = parseDocument(readFileSync(file, 'utf8'));
  const defaults = readDefaults(join(dirname(file), 'files/defaults.yaml'));
  const found = [];
  let section = 'Names';
  const visit = (map, path) => {
    for (const [index, pair] of map.items.entries()) {
      // The first key's comment hangs on the map itself.
      const comment = [index === 0 ? map.commentBefore : '', pair.key.commentBefore]
        .filter(Boolean)
        .join('\n');
      section = SECTION.exec(comment)?.[1] ?? section;
      const text = TEXT.exec(comment)?.[1]?.replaceAll(/\s*\n\s*/g, ' ');
      const at = [...path, String(pair.key.value)];
      if (isMap(pair.value) && pair.value.items.length > 0 && text === undefined)
        visit(pair.value, at);
      else
        found.push({
          path: at,
          ...withDefault(
            isScalar(pair.value) ? pair.value.value : pair.value.toJSON(),
            at,
            defaults,
          ),
          section,
          text,
        });
    }
  };
  if (document.commentBefore) section = SECTION.exec(document.commentBefore)?.[1] ?? section;
  visit(document.contents, []);
  return found;
}

function withDefault(value, path, defaults) {
  const filled = path.reduce((map, key) => map?.[key], defaults);
  if (filled === undefined) return { value, isUnset: false };
  return { value: value === null ? filled : { ...value, ...filled }, isUnset: true };
}

export function readDefaults(file) {
  return parseDocument(readFileSync(file, 'utf8')).toJS();
}
