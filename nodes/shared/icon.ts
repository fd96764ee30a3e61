import type { IconFile } from 'n8n-workflow';
import { n8nVersion } from './n8nProcess';

export interface ThemedIcon {
  light: IconFile;
  dark: IconFile;
}

/**
 * n8n 0.x calls string methods on the icon and would not load a node that has two.
 * 1.50.0 is the oldest release whose loader was seen to take both.
 */
const FIRST_WITH_THEMES = { major: 1, minor: 50 };

/** The icons for light and dark, or the light one alone where n8n knows no themes. */
export function themedIcon(icon: ThemedIcon, version = n8nVersion()): ThemedIcon | IconFile {
  if (version === undefined) return icon;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const { major: firstMajor, minor: firstMinor } = FIRST_WITH_THEMES;
  return major > firstMajor || (major === firstMajor && minor >= firstMinor) ? icon : icon.light;
}
