import { join } from 'node:path';
import { replaceFiles } from '../lab/replace-files.mjs';
import { bundle } from './bundle.mjs';

await replaceFiles(join(import.meta.dirname, 'dist'), bundle);
