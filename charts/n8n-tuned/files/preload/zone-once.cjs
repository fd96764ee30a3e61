// For each expression n8n has ICU check the workflow's time zone, and builds $now and $today, which takes its offset four
// times. With this a sandbox checks a zone once, keeps the offsets that it has computed, and builds $now and $today when
// they are first read, for the moment at which they would have been built. docs/chart/patches.md
const { changesBundle } = require('./expressions.cjs');
const { patch } = require('./in-force.cjs');
const { ID, escaped, foundOnce, replacedOnce, withoutNames } = require('./pattern.cjs');

/** Written into the bundle, with the names that luxon's DateTime and Settings have there. */
const added = (dateTime, settings) => `
var validZones=new Set,zoneOffsets=new Map;
function keepOffset(key,offset){if(zoneOffsets.size>=100)zoneOffsets.clear();zoneOffsets.set(key,offset);return offset}
function addTimes(context){
  let ts=${settings}.now(),zone=${settings}.defaultZone,now=()=>new ${dateTime}({ts,zone});
  let times={$now:now,$today:()=>now().set({hour:0,minute:0,second:0,millisecond:0})};
  for(let name in times){
    let set=value=>Object.defineProperty(context,name,{value,writable:!0,enumerable:!0,configurable:!0});
    Object.defineProperty(context,name,{get:()=>set(times[name]())[name],set,enumerable:!0,configurable:!0});
  }
}
`;

/** Code of buildContext() that checks the zone of the workflow, and that builds $now and $today. */
const ZONE = `(?<zones>${ID})\\.isValidZone\\((?<zone>${ID})\\)\\)throw new Error\\(\`Invalid timezone: "\\$\\{\\k<zone>\\}"\`\\);(?<settings>${ID})\\.defaultZone=\\k<zone>\\?\\?"system"`;
const TIMES = `(?<context>${ID})\\.\\$now=(?<dateTime>${ID})\\.now\\(\\),\\k<context>\\.\\$today=\\k<dateTime>\\.now\\(\\)\\.set\\(\\{hour:0,minute:0,second:0,millisecond:0\\}\\),`;

/** Code of luxon's class of zones: its check, and both ends of what computes an offset; luxon 3.4 does so without a check. */
const CHECK = `isValidZone\\((?<zone>${ID})\\)\\{if\\(!\\k<zone>\\)return!1;try\\{return new Intl\\.DateTimeFormat\\("en-US",\\{timeZone:\\k<zone>\\}\\)\\.format\\(\\),!0\\}catch\\{return!1\\}\\}`;
const OFFSET = `offset\\((?<ms>${ID})\\)\\{(?:if\\(!this\\.valid\\)return NaN;)?(?=let (?<date>${ID})=new Date\\(\\k<ms>\\);if\\(isNaN\\(\\k<date>\\)\\)return NaN;)`;
const RESULT = `(?<ms>${ID})-=(?<rest>${ID})>=0\\?\\k<rest>:1e3\\+\\k<rest>,(?<offset>\\(${ID}-\\k<ms>\\)/\\(60\\*1e3\\))(?=\\}equals\\((?<other>${ID})\\)\\{return \\k<other>\\.type==="iana")`;

function zoneOnce(bundle) {
  withoutNames(bundle, ['validZones', 'zoneOffsets', 'keepOffset', 'addTimes']);
  const { dateTime } = foundOnce(bundle, TIMES).groups;
  const { settings, zones } = foundOnce(bundle, ZONE).groups;
  const [, withParts] = replacedOnce(
    bundle,
    `var ${ID}=(?:new Map|\\{\\}),${escaped(zones)}=class `,
    (found) => added(dateTime, settings) + found,
  );
  const [, checked] = replacedOnce(withParts, CHECK, (found, { zone }) =>
    found
      .replace('return!1;try', () => `return!1;if(validZones.has(${zone}))return!0;try`)
      .replace('.format(),', () => `.format(),validZones.add(${zone}),`),
  );
  const [, kept] = replacedOnce(
    checked,
    OFFSET,
    (found, { ms }) =>
      `${found}let key=this.name+" "+${ms},kept=zoneOffsets.get(key);if(kept!==void 0)return kept;`,
  );
  const [, keeping] = replacedOnce(kept, RESULT, (found, { offset }) =>
    found.replace(offset, () => `keepOffset(key,${offset})`),
  );
  const [, late] = replacedOnce(keeping, TIMES, (_, { context }) => `addTimes(${context}),`);
  return late;
}

patch('zone-once', ['zone-once'], () => changesBundle('zone-once', zoneOnce));

module.exports = zoneOnce;
