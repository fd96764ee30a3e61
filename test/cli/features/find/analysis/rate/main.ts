import { rateQuality } from './quality';

/** Run by plain Node: inside Jest's context every use of Math is a hundred times slower. */
process.stdout.write(JSON.stringify(rateQuality()));
