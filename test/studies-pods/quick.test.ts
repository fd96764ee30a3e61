import { quickly, studiesThat } from '../support/study';

jest.setTimeout(3_600_000);

test.each(studiesThat({ needCluster: true }))(
  '%s runs with --quick in pods to its end, and nothing in it crashes',
  async (name) => {
    expect(await quickly(name, 'lab/cluster/cluster', 'exec')).toEqual({
      isWhole: true,
      crashed: [],
    });
  },
);
