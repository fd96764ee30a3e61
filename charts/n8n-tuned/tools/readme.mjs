// README.md from tools/readme-head.md and values.yaml: a table a section.
function cell(value) {
  return String(value).replaceAll('|', '\\|');
}

export function readmeOf(head, values) {
  const sections = new Map();
  for (const value of values) {
    if (value.text === undefined)
      throw new Error(`values.yaml: ${value.path.join('.')} has no sentence ("# -- ...")`);
    sections.set(value.section, [...(sections.get(value.section) ?? []), value]);
  }
  const tables = [...sections].map(([section, rows]) =>
    [
      `### ${section}`,
      '',
      '| value | default | what it does |',
      '| --- | --- | --- |',
      ...rows.map(
        ({ path, value, text }) =>
          `| \`${path.join('.')}\` | \`${cell(JSON.stringify(value))}\` | ${cell(text)} |`,
      ),
    ].join('\n'),
  );
  return `${head.trimEnd()}\n\n${tables.join('\n\n')}\n`;
}
