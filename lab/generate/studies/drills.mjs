// What was lost in drills: the table of faults, the drill of very many requests, and the settings that decide it.
import { settings } from './drill-settings.mjs';
import { drillTable, measured } from './drill-table.mjs';
import { manyKills } from './many-kills.mjs';

export function answer() {
  const all = measured().map(({ drill }) => drill);
  const count = (outcome) => all.filter(({ verdict }) => verdict.outcome === outcome).length;
  return {
    sentence: `Of ${all.length} drills, ${count('pass')} kept every promise and ${count('fail')} broke one.`,
  };
}

export const part = () => `${drillTable()}${manyKills()}${settings()}`;
