import { jsonOf } from '../../../cli/src/record/json';

describe('a record as text', () => {
  const record = {
    ...{ name: '[\n 1,\n 2 ]', empty: [], words: ['a', 'b'], nested: [[1, -2.5e-7], [null]] },
    columns: { due: [1, 2, 3], p95Ms: [null, 12.5, null] },
  };

  it('is the same record', () => {
    expect(JSON.parse(jsonOf(record))).toEqual(record);
  });

  it('has each list of numbers on one line', () => {
    const text = jsonOf(record);
    expect(text).toContain('"due": [1, 2, 3],');
    expect(text).toContain('"p95Ms": [null, 12.5, null]');
    expect(text).toContain('    "a",\n');
    expect(text.endsWith('}\n')).toBe(true);
  });
});
