// The records in studies/ keep each search, not the runs beneath it: they are evidence all the same.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMeasurements } from '../../../../cli/src/features/predict/read';
import { readFinds } from '../../../../cli/src/features/recommend/read';
import { plannedRate, recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { hasEstimate } from '../../../../cli/src/features/find/record';
import { FIND_FILE } from '../../../../cli/src/record/find-records';
import { usedAt } from '../../../../cli/src/features/find/record';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';

const studies = join(__dirname, '../../../../studies');
const folder = mkdtempSync(join(tmpdir(), 'search-alone-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const archiveOf = (study: string): string => join(studies, study, 'results.jsonl.gz');
const measured = readdirSync(studies).filter((study) => existsSync(archiveOf(study)));

test.each(measured)('every search of the study %s can be planned with', (study) => {
  const searches = readFinds([archiveOf(study)]);
  for (const { record, evidence } of searches) {
    if (record.topology === null || !hasEstimate(record.verdict)) continue;
    if (evidence === null) throw new Error(`${record.id} tells nothing`);
    const recommendation = recommend([evidence], plannedRate([evidence]));
    expect(recommendation).not.toBeNull();
    if (recommendation !== null) expect(valuesYaml(recommendation)).toContain(record.id);
  }
  expect(() => readMeasurements([archiveOf(study)])).not.toThrow();
});

test('studies/capacity has searches of both workloads', () => {
  const names = readFinds([archiveOf('capacity')]).map(({ evidence }) => evidence?.workload);
  expect(names.sort()).toEqual(['items', 'last-node']);
});

test('a new search keeps what its roles used, and sizes them without its runs', () => {
  const { record: run } = sampleRun();
  const search = { ...sampleSearch(), topology: run.topology };
  const atCapacity = usedAt('probes/40', run.summary);
  writeFileSync(join(folder, FIND_FILE), JSON.stringify({ ...search, atCapacity }));
  const [known] = readFinds([folder]);
  expect(known?.evidence?.at).toMatchObject({ run: 'probes/40', roles: run.summary.roles });
  const [measured] = readMeasurements([folder]);
  expect(measured?.cpuMillisecondsPerRequest).toBe(run.summary.cpuMillisecondsPerRequest);
  expect(Object.keys(measured?.roleCpu ?? {})).toContain('main');
});
