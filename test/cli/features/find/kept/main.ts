import { judgedAgain } from './judge';

/** Run by plain Node: inside Jest's context every use of Math is a hundred times slower. */
process.stdout.write(JSON.stringify(judgedAgain(process.argv[2] ?? '')));
