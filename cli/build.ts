import { join } from 'node:path';
import { replaceFiles } from '../lab/replace-files';
import { bundle } from './bundle';

void replaceFiles(join(__dirname, 'dist'), bundle);
