// How the patches of expressions find their places in n8n's bundle, whose names are others in each release: by its structure,
// with the names that stand there. A place that is there twice is not known.

/** A name in minified code. */
const ID = '[A-Za-z_$][\\w$]*';
const escaped = (name) => name.replaceAll('$', '\\$');

function foundOnce(text, pattern) {
  const found = [...text.matchAll(new RegExp(pattern, 'g'))];
  if (found.length === 1) return found[0];
  throw new Error(`${found.length} places fit ${pattern.slice(0, 60)}`);
}

/** The names that stand there, and the text with what `replacement` makes of the place. */
function replacedOnce(text, pattern, replacement) {
  const found = foundOnce(text, pattern);
  const { 0: place, index, groups = {} } = found;
  const after = index + place.length;
  return [groups, text.slice(0, index) + replacement(place, groups) + text.slice(after)];
}

/** What a patch adds must not be there under the same name. */
function withoutNames(text, names) {
  const taken = names.find((name) => new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(text));
  if (taken !== undefined) throw new Error(`the name ${taken} is taken`);
}

module.exports = { ID, escaped, foundOnce, replacedOnce, withoutNames };
