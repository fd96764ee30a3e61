import { quickly, studiesThat } from '../support/study';

jest.setTimeout(3_600_000);

test.each(studiesThat({ needCluster: false }))(
  '%s runs with --quick to its end, and nothing in it crashes',
  async (name) => {
    expect(await quickly(name)).toEqual({ isWhole: true, crashed: [] });
  },
);
