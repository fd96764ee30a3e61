import { PEER_PROBE_SECONDS, quality } from './quality';
import { SYSTEMS } from './systems';
import { fullLengthCapacity } from './truth';

/** Run by plain Node: inside Jest's context every use of Math is a hundred times slower. `whole`: the peer at every length. */
const peerProbeSeconds =
  process.argv[2] === 'whole' ? PEER_PROBE_SECONDS : PEER_PROBE_SECONDS.slice(0, 1);
const again = ['M/D/c', 'leak', 'noise'].flatMap((family) => {
  const system = SYSTEMS.find((one) => one.family === family);
  return system === undefined
    ? []
    : [{ name: system.name, capacity: fullLengthCapacity(system, 31) }];
});
process.stdout.write(JSON.stringify({ quality: quality(peerProbeSeconds), again }));
