// The published experiment on every topology: 8 clients, one minute, a function of 5 s.
import { filesIn, RUN_FILES } from '../../cli/src/features/study/kept';
import type { Part, Study } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';

interface TopologyPart extends Part {
  topology: string[];
}

const TOPOLOGIES: Record<string, string[]> = {
  regular: [],
  queue: ['--mode', 'queue', '--workers', '2'],
  'legacy-main': ['--n8n', '0.221.2', '--process', 'main'],
  'legacy-own': ['--n8n', '0.221.2', '--process', 'own'],
};

export default {
  parts: Object.entries(TOPOLOGIES).map(([name, topology]) => ({ name, topology, seconds: 100 })),
  async measured({ topology }, { call, scratch, isShort }) {
    const { record } = await call<RunRecord & { folder: string }>([
      ...['run', ...topology, '--workload', 'wait-5s', '--profile', 'closed', '--vus', '8'],
      ...['--duration', isShort ? '12s' : '1m', '--out', scratch],
    ]);
    return { files: filesIn(record.folder, RUN_FILES), sentence: record.verdict.sentence };
  },
} satisfies Study<TopologyPart>;
