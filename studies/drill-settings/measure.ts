// What the settings decide that a fault is about: locks of jobs, the guard of a worker, how long n8n waits for Redis, how often it
// tries to reach PostgreSQL, the grace in which a worker may finish, the age at which recovery retries. A part is one drill,
// as those of studies/drills; nothing is kept of an invalid one.
import type { Study } from '../../cli/src/features/study/study';
import { measuredDrill } from '../drills/measured';
import { commandOf, PARTS, type SettingPart } from './parts';

export default {
  parts: PARTS,
  inside: 'parts/',
  maxAtOnce: 4,
  measured: measuredDrill(commandOf),
} satisfies Study<SettingPart>;
