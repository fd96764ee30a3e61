// zone-once keeps what a sandbox has computed about time zones: with it and without, every moment in every zone is the
// same, and $now and $today are those of the moment at which the expression began.
import { join } from 'node:path';
import { seeded } from '../../nodes/support/lab';
import { evaluate, type Outcome, type Sandbox } from '../support/expressions.ts';
import { chart } from '../support/helm.ts';
import { describeOf, testOf } from '../support/preload-folder';
import { N8N_VERSION } from '../../support/versions';

const ZONE = join(chart, 'files/preload/zone-once.cjs');
const LIMITS = { memoryLimit: 128, timeout: 10_000 };
const SEEDS = [1, 2, 3];
const ZONES = Intl.supportedValuesOf('timeZone');
const [BEGIN, END] = [Date.UTC(1880, 0), Date.UTC(2100, 0)];
/** More than the patch keeps. */
const MOMENTS = 150;

const without = async (bridges: Sandbox[]): Promise<Outcome[][]> =>
  (await evaluate(N8N_VERSION, { bridges }, [])).bridges;
async function withPatch(bridges: Sandbox[]): Promise<Outcome[][]> {
  const { bridges: outcomes, said } = await evaluate(N8N_VERSION, { bridges }, [ZONE]);
  // It would say so if it left the bundle as it is.
  expect(said).toBe('');
  return outcomes;
}

const pick = <Value>(random: () => number, all: Value[]): Value =>
  all[Math.floor(random() * all.length)] as Value;
const moment = (random: () => number): number => Math.floor(BEGIN + random() * (END - BEGIN));

/** Moments in zones, some of them again: what luxon makes of each. */
function asked(seed: number): string[] {
  const random = seeded(seed);
  const zones = Array.from({ length: 8 }, () => pick(random, ZONES));
  const moments = Array.from({ length: MOMENTS }, () => moment(random));
  return moments.flatMap((one, n) => {
    const again = pick(random, moments.slice(0, n + 1));
    return [one, again].map(
      (ms) => `
        const at = DateTime.fromMillis(${ms}, { zone: '${pick(random, zones)}' });
        return [at, at.startOf('day'), at.plus({ months: 1 }), at.set({ hour: 2 }), at.toUTC()]
          .map((each) => each.toISO() + each.zoneName + each.offset);`,
    );
  });
}

testOf('zone-once').each(SEEDS)(
  'every moment in every zone is the same, seed %i',
  async (seed) => {
    const zones = Array.from({ length: 4 }, (_, n) => pick(seeded(seed + n), ZONES));
    const bridges = zones.map((timezone) => ({ limits: LIMITS, timezone, codes: asked(seed) }));
    const wanted = await without(bridges);
    expect(await withPatch(bridges)).toEqual(wanted);
    expect(wanted.flat().every(({ value }) => Array.isArray(value))).toBe(true);
  },
  120_000,
);

testOf('zone-once')(
  'zones that do not exist stay unknown, however often they are asked for',
  async () => {
    const codes = [...ZONES.slice(0, 20), 'Nowhere/Else', '', 'constructor', 'Europe/Berlin '].map(
      (zone) => `return ['${zone}', '${zone}'].map((each) => DateTime.now().setZone(each).isValid)`,
    );
    const bridges = [
      { limits: LIMITS, timezone: 'Europe/Berlin', codes: [...codes, ...codes] },
      { limits: LIMITS, timezone: 'Nowhere/Else', codes: ['return 1', 'return 1'] },
    ];
    const wanted = await without(bridges);
    expect(await withPatch(bridges)).toEqual(wanted);
    expect(wanted[0]?.slice(19, 21)).toEqual([
      { type: 'object', value: ['true', 'true'] },
      { type: 'object', value: ['false', 'false'] },
    ]);
    expect(wanted[1]?.map(({ error }) => typeof error)).toEqual(['string', 'string']);
  },
);

describeOf('zone-once')('$now and $today', () => {
  const look = `
    const context = this;
    const both = [context.$now, context.$today];
    return both.map((each) => [each.toISO(), each.zoneName, each.locale, each.isValid, String(each.invalidReason)]);`;

  test.each(SEEDS)(
    'are the same at any moment in any zone, seed %i',
    async (seed) => {
      const random = seeded(seed);
      const bridges = Array.from({ length: 12 }, () => ({
        limits: LIMITS,
        timezone: pick(random, ZONES),
        codes: Array.from({ length: 12 }, () => [
          `Date.now = () => ${moment(random)}; return 1`,
          look,
        ]).flat(),
      }));
      const wanted = await without(bridges);
      expect(await withPatch(bridges)).toEqual(wanted);
      expect(JSON.stringify(wanted)).toContain('T00:00:00.000');
    },
    120_000,
  );

  test('are right also without a zone, and where the zone changes meanwhile', async () => {
    const still = 'Date.now = () => 1711846800123; return 1';
    const nested = `buildContext({}, 'Asia/Tokyo'); ${look}`;
    const bridges = [undefined, 'America/New_York'].map((timezone) => ({
      ...{ limits: LIMITS, codes: [still, look, nested, 'return [this.$now, this.$today]'] },
      ...(timezone === undefined ? {} : { timezone }),
    }));
    const [plain, patched] = [await without(bridges), await withPatch(bridges)];
    expect(patched).toEqual(plain);
  });

  test('are of the moment at which the expression began, and stay as they are', async () => {
    const codes = [
      'const late = Date.now() + 50; while (Date.now() < late); return late - this.$now.toMillis() >= 50',
      'return this.$now === this.$now && this.$today === this.$today',
      `return '$now' in this && Object.keys(this).slice(0, 2).join()`,
      'this.$now = 5; this.$today += 1; return [this.$now, typeof this.$today]',
      'delete this.$now; return typeof this.$now',
      'return JSON.stringify(Object.getOwnPropertyDescriptor((this.$today, this), "$today")).length > 40',
    ];
    const bridges = [{ limits: LIMITS, timezone: 'Europe/Berlin', codes }];
    const [plain, patched] = [await without(bridges), await withPatch(bridges)];
    expect(patched).toEqual(plain);
    expect(patched[0]?.slice(0, 3).map(({ value }) => value)).toEqual([
      'true',
      'true',
      '$now,$today',
    ]);
  });
});
