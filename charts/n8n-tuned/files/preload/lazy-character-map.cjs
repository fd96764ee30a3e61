// In each V8 isolate for expressions n8n's library `transliteration` fills a map of 47 000 characters, which only
// replaceSpecialChars() reads. With this the map is built when it is first read. docs/chart/patches.md
const { createHash } = require('node:crypto');
const fs = require('node:fs');

// By the sha256 of the bundle as it is found: the sha256 that it has with this change, and the n8n that has it.
const BUNDLES = {
  // n8n 2.40.1 to 2.41.3 (@n8n/expression-runtime 0.31.1 and 0.32.0)
  '7ee2ef16c09871fddffd26281d05be77c4caca1127bb1acf21d919b28f348dab':
    'e9666ba37fe637621e47b98b6ac30ed18aaf4a377d82b5f3c83c90399b6700e8',
  // the same with zone-once.cjs
  c11ea47e7479f0de94c5e95ee3f4db89d227587af81d6d507d45143d0fb10073:
    '3382a69d127dd0eb1629287c936d8f6e8df5288919222a9355acec81a35da3d1',
};
const BUNDLE = /[\\/]@n8n[\\/]expression-runtime[\\/]dist[\\/]bundle[\\/]runtime\.iife\.js$/;

// What makes the map becomes a function, and the three places that read it call that function. The table keeps its place.
const CHANGES = [
  ['var Ri=[["\\0",', 'var builtMap,Ri,No=()=>{if(builtMap)return builtMap;let Ri=[["\\0",'],
  ['No[a]=i}}function Ho(', 'No[a]=i}}return builtMap=No};function Ho('],
  [
    'i=No){this.confOptions=e,this.map=i}',
    'i){this.confOptions=e,this.ownMap=i}get map(){return this.ownMap??=No()}set map(e){this.ownMap=e}',
  ],
  ['this.map=q(No)', 'this.map=q(No())'],
];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const say = (what) => process.stderr.write(`n8n-tuned: lazy-character-map: ${what}\n`);

function lazy(bundle) {
  const wanted = BUNDLES[sha256(bundle)];
  if (wanted === undefined) {
    say('this n8n has another bundle of expressions than those known, left as it is');
    return bundle;
  }
  const changed = CHANGES.reduce((text, [from, to]) => text.replace(from, () => to), bundle);
  if (sha256(changed) === wanted) return changed;
  say('the change did not give what it should, the bundle is left as it is');
  return bundle;
}

function install() {
  const { readFileSync } = fs;
  let isDone = false;
  fs.readFileSync = function (path, ...rest) {
    const read = readFileSync.call(this, path, ...rest);
    if (isDone || typeof read !== 'string' || !BUNDLE.test(path)) return read;
    // n8n reads it once per process. This stays: to put back what was before would drop what others have put on top.
    isDone = true;
    return lazy(read);
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('lazy-character-map')) install();
