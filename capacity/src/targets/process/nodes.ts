import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Puts our built packages of nodes where n8n of any version finds a package by itself: there its nodes carry the
 * package's name, as the workflows call them. Through N8N_CUSTOM_EXTENSIONS they would be CUSTOM.*.
 */
export function installNodes(built: string, home: string): void {
  const packages = join(home, '.n8n', 'nodes', 'node_modules');
  for (const name of readdirSync(built)) {
    // An older build may have left other folders.
    if (!existsSync(join(built, name, 'package.json'))) continue;
    cpSync(join(built, name), join(packages, name), { recursive: true });
  }
}
