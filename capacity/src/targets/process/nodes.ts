import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Puts our built nodes where n8n of any version finds a package by itself: there its nodes carry the
 * package's name, as the workflows call them. Through N8N_CUSTOM_EXTENSIONS they would be CUSTOM.*.
 */
export function installNodes(built: string, home: string): void {
  const target = join(home, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-load-target');
  mkdirSync(target, { recursive: true });
  cpSync(join(dirname(built), 'package.json'), join(target, 'package.json'));
  cpSync(built, join(target, 'dist'), { recursive: true });
}
