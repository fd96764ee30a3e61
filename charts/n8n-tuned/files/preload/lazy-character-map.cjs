// In each V8 isolate for expressions n8n's library `transliteration` fills a map of 47,000 characters, which only
// replaceSpecialChars() reads. With this the map is built when it is first read. docs/chart/patches.md
const { changesBundle } = require('./expressions.cjs');
const { patch } = require('./in-force.cjs');
const { ID, escaped, replacedOnce, withoutNames } = require('./pattern.cjs');

// What makes the map becomes a function, and the places that read it call that function. The table keeps its place.
const BUILDER = [
  `\\]\\],(?<map>${ID})=\\{\\};`,
  `for\\(let (?<high>${ID})=0;\\k<high><(?<table>${ID})\\.length;\\k<high>\\+\\+\\)`,
  `for\\(let (?<low>${ID})=0;\\k<low><\\k<table>\\[\\k<high>\\]\\.length;\\k<low>\\+\\+\\)\\{`,
  `let (?<text>${ID})=\\k<table>\\[\\k<high>\\]\\[\\k<low>\\];if\\(typeof \\k<text>=="string"&&\\k<text>\\.length\\)\\{`,
  `let (?<code>${ID})=String\\.fromCharCode\\(\\(\\k<high><<8\\)\\+\\k<low>\\);\\k<map>\\[\\k<code>\\]=\\k<text>\\}\\}(?=function )`,
].join('');

function lazy(bundle) {
  withoutNames(bundle, ['builtMap', 'ownMap']);
  const [{ map, table }, built] = replacedOnce(
    bundle,
    BUILDER,
    (found, names) => `${found}return builtMap=${names.map}};`,
  );
  const [, asFunction] = replacedOnce(
    built,
    `var ${escaped(table)}=\\[\\["\\\\0",`,
    () => `var builtMap,${table},${map}=()=>{if(builtMap)return builtMap;let ${table}=[["\\0",`,
  );
  const [, constructed] = replacedOnce(
    asFunction,
    `(?<given>${ID})=${escaped(map)}\\)\\{this\\.confOptions=(?<options>${ID}),this\\.map=\\k<given>\\}`,
    (_, { given, options }) =>
      `${given}){this.confOptions=${options},this.ownMap=${given}}get map(){return this.ownMap??=${map}()}set map(e){this.ownMap=e}`,
  );
  const [, restored] = replacedOnce(
    constructed,
    `this\\.map=(?<copy>${ID})\\(${escaped(map)}\\)`,
    (_, { copy }) => `this.map=${copy}(${map}())`,
  );
  return restored;
}

patch('lazy-character-map', ['lazy-character-map'], () =>
  changesBundle('lazy-character-map', lazy),
);

module.exports = lazy;
