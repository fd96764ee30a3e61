// Which n8n can be used, from what the chart knows of versions.
import { parse } from 'yaml';
import { read } from '../records';

interface Versions {
  supported: { from: string; testedBelow: string };
}

export function n8nVersions(): string {
  const { supported } = parse(read('charts/n8n-tuned/files/versions.yaml')) as Versions;
  return `n8n ${supported.from} and newer can be deployed and loaded. Nothing was measured with ${supported.testedBelow} or newer, and NOTES of the
chart says so there. [The patches](docs/chart/patches.md) have a list of the n8n that each knows.`;
}
