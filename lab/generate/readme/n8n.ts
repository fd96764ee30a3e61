// Which n8n can be used, from what the chart knows of versions.
import { parse } from 'yaml';
import { read } from '../records';

interface Versions {
  supported: { from: string; testedBelow: string };
}

export function n8nVersions(): string {
  const { supported } = parse(read('charts/n8n-tuned/files/versions.yaml')) as Versions;
  return `You can deploy and load n8n ${supported.from} and newer. Nothing was measured with ${supported.testedBelow} or newer; the chart's NOTES
then print a warning. [The patches page](docs/chart/patches.md) lists the n8n versions that each patch supports.`;
}
