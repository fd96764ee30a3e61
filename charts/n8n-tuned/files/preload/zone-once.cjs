// For each expression n8n has ICU check the workflow's time zone, and builds $now and $today, which takes its offset four
// times. With this a sandbox checks a zone once, keeps the offsets that it has computed, and builds $now and $today when
// they are first read, for the moment at which they would have been built. docs/chart/patches.md
const { createHash } = require('node:crypto');
const fs = require('node:fs');

// By the sha256 of the bundle as it is found: the sha256 that it has with this change, and the n8n that has it.
const BUNDLES = {
  // n8n 2.40.1 to 2.41.3 (@n8n/expression-runtime 0.31.1 and 0.32.0)
  '7ee2ef16c09871fddffd26281d05be77c4caca1127bb1acf21d919b28f348dab':
    'c11ea47e7479f0de94c5e95ee3f4db89d227587af81d6d507d45143d0fb10073',
  // the same with lazy-character-map.cjs
  e9666ba37fe637621e47b98b6ac30ed18aaf4a377d82b5f3c83c90399b6700e8:
    '3382a69d127dd0eb1629287c936d8f6e8df5288919222a9355acec81a35da3d1',
};
const BUNDLE = /[\\/]@n8n[\\/]expression-runtime[\\/]dist[\\/]bundle[\\/]runtime\.iife\.js$/;

/** Written into the bundle, where C is luxon's DateTime and A its Settings. */
const ADDED = `
var validZones=new Set,zoneOffsets=new Map;
function keepOffset(key,offset){if(zoneOffsets.size>=100)zoneOffsets.clear();zoneOffsets.set(key,offset);return offset}
function addTimes(context){
  let ts=A.now(),zone=A.defaultZone,now=()=>new C({ts,zone});
  let times={$now:now,$today:()=>now().set({hour:0,minute:0,second:0,millisecond:0})};
  for(let name in times){
    let set=value=>Object.defineProperty(context,name,{value,writable:!0,enumerable:!0,configurable:!0});
    Object.defineProperty(context,name,{get:()=>set(times[name]())[name],set,enumerable:!0,configurable:!0});
  }
}
`;
const CHANGES = [
  ['var da=new Map,ye=class', `${ADDED}var da=new Map,ye=class`],
  [
    'isValidZone(e){if(!e)return!1;try{return',
    'isValidZone(e){if(!e)return!1;if(validZones.has(e))return!0;try{return',
  ],
  [
    'timeZone:e}).format(),!0}catch{return!1}}constructor',
    'timeZone:e}).format(),validZones.add(e),!0}catch{return!1}}constructor',
  ],
  [
    'offset(e){if(!this.valid)return NaN;',
    'offset(e){if(!this.valid)return NaN;let key=this.name+" "+e,kept=zoneOffsets.get(key);if(kept!==void 0)return kept;',
  ],
  [
    'm-=w>=0?w:1e3+w,(d-m)/(60*1e3)}equals(e){return e.type==="iana"',
    'm-=w>=0?w:1e3+w,keepOffset(key,(d-m)/(60*1e3))}equals(e){return e.type==="iana"',
  ],
  [
    'i.$now=C.now(),i.$today=C.now().set({hour:0,minute:0,second:0,millisecond:0}),',
    'addTimes(i),',
  ],
];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const say = (what) => process.stderr.write(`n8n-tuned: zone-once: ${what}\n`);

function withZoneOnce(bundle) {
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
    return withZoneOnce(read);
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('zone-once')) install();
