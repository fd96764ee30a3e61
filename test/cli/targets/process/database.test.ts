import { sqliteDatabase } from '../../../../cli/src/targets/process/database';

test('a query may take what is left of a time, which is no whole number of milliseconds', async () => {
  const database = sqliteDatabase(['/bin/sh', '-c', `echo '[{"newest":1}]'`], 'database.sqlite');
  expect(await database.query('SELECT 1', 29_896.6)).toEqual([{ newest: 1 }]);
});
