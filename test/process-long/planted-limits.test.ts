import { diagnose, type Diagnosis } from '../process/planted-limits/diagnose';
import { STAGES } from '../process/planted-limits/planted';

jest.setTimeout(400_000);

/** The quick ones; studies/planted-limits/measure.mjs plants all of them. */
test.each(['main CPU limit', 'main database pool', 'worker slots'])(
  'a planted limit is named: %s',
  async (limit) => {
    const stage = STAGES.find(({ cases }) => cases.some((planted) => planted.limit === limit));
    if (stage === undefined) throw new Error(`nothing plants ${limit}`);
    const found: Diagnosis[] = [];
    await diagnose(
      stage,
      (diagnosis) => found.push(diagnosis),
      stage.cases.filter((planted) => planted.limit === limit),
    );
    // Another file of tests uses the same cores: a host that is busy with that is a limit as well.
    const ofN8n = (found[0]?.limitedBy.ranked ?? []).filter(({ name }) => name !== 'host CPU');
    expect(found).toHaveLength(1);
    expect(ofN8n[0]?.name).toBe(limit);
    expect(ofN8n[0]?.utilisation).toBeGreaterThan(0.9);
    expect(found[0]?.limitedBy.evidence).toMatch(/\d/);
    expect(found[0]?.limitedBy.runnerUp).not.toBeNull();
  },
);
