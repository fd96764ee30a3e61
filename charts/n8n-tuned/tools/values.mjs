// Reads values.yaml with its prose: every value with its path, default, section and sentence.
import { readFileSync } from 'node:fs';
import { parseDocument, isMap, isScalar } from 'yaml';

const SECTION = /^\s*@section -- (.+)$/m;
/** A sentence may go on over further lines; an empty one ends it, and what follows is for readers of values.yaml alone. */
const TEXT = /^\s*-- (.+(?:\n(?!\s*(?:--|@section) )[^\S\n]*\S.*)*)/m;

/** @returns {{ path: string[], value: unknown, section: string, text: string | undefined }[]} leaves, in order */
export function readValues(file) {
  const document = parseDocument(readFileSync(file, 'utf8'));
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
          value: isScalar(pair.value) ? pair.value.value : pair.value.toJSON(),
          section,
          text,
        });
    }
  };
  if (document.commentBefore) section = SECTION.exec(document.commentBefore)?.[1] ?? section;
  visit(document.contents, []);
  return found;
}

export function readDefaults(file) {
  return parseDocument(readFileSync(file, 'utf8')).toJS();
}
