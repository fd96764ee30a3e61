import { sweepPlanSchema, type SweepPlan } from './sweep-plan';
import { parseYamlFile } from './yaml-file';

const { shape } = sweepPlanSchema;

export const parseSweepPlan = (text: string, file: string): SweepPlan =>
  parseYamlFile(text, file, {
    name: 'plan',
    schema: sweepPlanSchema,
    keysAt: ([first]) =>
      Object.keys(
        first === 'measure'
          ? shape.measure.unwrap().shape
          : first === 'quick'
            ? shape.quick.unwrap().shape
            : shape,
      ),
  });
