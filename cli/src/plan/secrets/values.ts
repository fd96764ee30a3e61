/** Values of a chart as they go into a record: an allow-list, which for our chart its schema is. Pure. */
import { maskOf, maskOfNamed } from './mask';
import { isHarmlessVariable } from './variables';

/** The parts of values.schema.json that we read. */
export interface ValuesSchema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: ValuesSchema[];
  items?: ValuesSchema;
  properties?: Record<string, ValuesSchema>;
  additionalProperties?: boolean | ValuesSchema;
  /** A text that matches holds no secret; `variables`: the values of variables of the environment. */
  'x-recorded'?: string;
}

/** Kubernetes' own form of an amount, such as 2, 500m or 1.5Gi; a longer row of digits may be a secret. */
const QUANTITY = /^\d{1,3}(\.\d{1,3})?$|^\d{1,6}(\.\d{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)$/;
/** What Kubernetes itself limits: under another name digits may be anything. */
const RESOURCE = /^(cpu|memory|ephemeral-storage)$/;
const VERSION = /^v?\d+(\.\d+){1,3}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]+$/;

/** Every key stays; a value stays where the schema says that it holds no secret. */
export function valuesWithoutSecrets(values: unknown, schema: ValuesSchema): unknown {
  if (schema['x-recorded'] === 'variables') return variablesIn(values);
  if (Array.isArray(values)) {
    const items = shapesOf(schema).find((shape) => shape.items !== undefined)?.items ?? {};
    return values.map((each) => valuesWithoutSecrets(each, items));
  }
  if (isObject(values)) {
    const shape = shapesOf(schema).find(
      ({ properties, additionalProperties }) =>
        properties !== undefined || typeof additionalProperties === 'object',
    );
    return mapped(values, (name, value) => valuesWithoutSecrets(value, shapeAt(shape, name)));
  }
  return isHarmless(values, schema) ? values : maskOf(values);
}

const shapesOf = (schema: ValuesSchema): ValuesSchema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap(shapesOf),
];

function shapeAt(shape: ValuesSchema | undefined, name: string): ValuesSchema {
  if (shape === undefined) return {};
  if (Object.hasOwn(shape.properties ?? {}, name)) return shape.properties?.[name] ?? {};
  return typeof shape.additionalProperties === 'object' ? shape.additionalProperties : {};
}

function isHarmless(value: unknown, schema: ValuesSchema): boolean {
  if (isNothing(value)) return true;
  return shapesOf(schema).some((shape) => {
    if (shape.enum?.includes(value) === true) return true;
    if (typeof value === 'number') {
      return [shape.type].flat().some((type) => type === 'number' || type === 'integer');
    }
    const form = shape['x-recorded'];
    return typeof value === 'string' && form !== undefined && new RegExp(form).test(value);
  });
}

/** Not one of them can be a secret. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || typeof value === 'boolean';

/** Values without secrets, for a chart whose schema does not mark them: decided by key names, and by what every chart means by them. */
export function foreignWithoutSecrets(values: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(values)) {
    return values.map((each) =>
      isVariable(each) ? variableOf(each) : foreignWithoutSecrets(each, [...path, '']),
    );
  }
  if (isObject(values)) {
    return mapped(values, (name, value) => foreignWithoutSecrets(value, [...path, name]));
  }
  const [last = '', parent = '', before = ''] = [...path].reverse();
  if (isNothing(values) || isCount(last, values)) return values;
  const text = String(values);
  if (VARIABLE.test(last) && isHarmlessVariable(last, text)) return values;
  const isOfResources = before === 'resources' && /^(limits|requests)$/.test(parent);
  if (isOfResources && RESOURCE.test(last) && QUANTITY.test(text)) return values;
  return parent === 'image' && last === 'tag' && VERSION.test(text) ? values : maskOf(values);
}

const isCount = (name: string, value: unknown): boolean =>
  typeof value === 'number' && /^(count|concurrency|[a-z]*replicas?(Count)?)$/i.test(name);

const variablesIn = (values: unknown): unknown =>
  isObject(values)
    ? mapped(values, (name, value) =>
        typeof value === 'object' && value !== null
          ? foreignWithoutSecrets(value)
          : value === null || isHarmlessVariable(name, String(value))
            ? value
            : maskOfNamed(name, value),
      )
    : foreignWithoutSecrets(values);

/** An entry of a pod's `env`. */
const isVariable = (value: unknown): value is { name: string; value: unknown } =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  ['string', 'number', 'boolean'].includes(typeof value['value']);

function variableOf({ name, value, ...rest }: { name: string; value: unknown }): object {
  return {
    name: VARIABLE.test(name) ? name : maskOf(name),
    value: isHarmlessVariable(name, String(value)) ? value : maskOfNamed(name, value),
    ...(foreignWithoutSecrets(rest) as object),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (
  values: Record<string, unknown>,
  change: (name: string, value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
