// The chart's templates read the expressions of files/environment.yaml as the command does: test/cli/plan/environment.test.ts
// has the same cases.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { chart, paths, renderOf } from './support/helm.ts';

interface Case {
  of: unknown;
  values?: object;
  role?: string;
  is: string;
}
const cases = parse(
  readFileSync(join(__dirname, '../support/environment-cases.yaml'), 'utf8'),
) as Case[];

/** Prints every expression under test, for each role that is deployed. */
const PROBE = `{{- include "n8n-tuned.prepare" . -}}
{{- range $component := .n8nTunedComponents }}
{{- range $index, $of := $.Files.Get "cases.yaml" | fromYamlArray }}
---
kind: Case
role: {{ $component.role }}
index: {{ $index }}
is: {{ include "n8n-tuned.asText" (dict "context" $ "component" $component "of" $of) | quote }}
{{- end }}
{{- end }}
`;

const folder = mkdtempSync(join(tmpdir(), 'environment-cases-'));
const probed = join(folder, 'n8n-tuned');
beforeAll(() => {
  cpSync(chart, probed, { recursive: true });
  writeFileSync(join(probed, 'cases.yaml'), stringify(cases.map(({ of }) => of)));
  writeFileSync(join(probed, 'templates', 'cases.yaml'), PROBE);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(['helm3', 'helm4'] as const)('%s reads every expression of the cases', async (helm) => {
  const valuesOf = ({ values }: Case): string => JSON.stringify(values ?? {});
  for (const values of new Set(cases.map(valuesOf))) {
    const file = join(folder, 'values.json');
    writeFileSync(file, values);
    const args = ['-f', file, '-s', 'templates/cases.yaml'];
    const { manifests } = await renderOf(probed, paths[helm], args);
    for (const [index, each] of cases.entries()) {
      if (valuesOf(each) !== values) continue;
      const { role = 'main', of, is } = each;
      const found = manifests.find((one) => one['role'] === role && one['index'] === index);
      expect({ values, of, is: found?.['is'] }).toEqual({ values, of, is });
    }
  }
});
