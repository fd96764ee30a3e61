// Images of stores that the lab makes, as the chart names them.
import { readVersions } from '../../cli/src/lab/paths';

const versions = readVersions();
const tag = (name: string): string => {
  const value = versions[name];
  if (value === undefined) throw new Error(`lab/versions.env has no ${name}`);
  return value;
};

export const IMAGES = {
  redis: `redis:${tag('REDIS_IMAGE_TAG')}`,
  postgres: `postgres:${tag('POSTGRES_IMAGE_TAG')}`,
  /** The image of the older line, from which data is moved. */
  postgresOld: `postgres:${tag('POSTGRES_OLD_IMAGE_TAG')}`,
};
