import { parseYamlFile } from '../../../ui/yaml-file';
import { sweepPlanSchema, type SweepPlan } from './plan';

export const parseSweepPlan = (text: string, file: string): SweepPlan =>
  parseYamlFile(text, file, { name: 'plan', schema: sweepPlanSchema });
