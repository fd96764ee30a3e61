// From the Markdown of the repository to that of the site: which files are pages, and where their links lead.
import { dirname, join, relative } from 'node:path/posix';

export const REPOSITORY = 'https://github.com/n8n-tuned/n8n-tuned';

/** What is read elsewhere too, such as a README in its package, has links to the repository, and pictures from it. */
const RAW = 'https://raw.githubusercontent.com/n8n-tuned/n8n-tuned';
const OWN = new RegExp(`^(?:${REPOSITORY}/(?:blob|tree)|${RAW})/main/(.+)$`);

/** GitHub chooses the picture by the system's colours, the site by those that its reader has chosen. */
const BOTH = new RegExp(
  [
    '<picture>',
    // The picture for a narrow screen, where there is one.
    '(?:<source media="(\\(max-width: \\d+px\\)) and \\(prefers-color-scheme: dark\\)" srcset="([^"]+)">',
    '<source media="\\1" srcset="([^"]+)">)?',
    '<source media="\\(prefers-color-scheme: dark\\)" srcset="([^"]+)">',
    '<img ([^>]+)>',
    '</picture>',
  ].join('\\s*'),
  'g',
);
const chosen = (
  _: string,
  narrow: string | undefined,
  narrowDark: string,
  narrowLight: string,
  dark: string,
  light: string,
): string => {
  const shown = (colours: string, image: string, source: string): string =>
    narrow === undefined
      ? `<img class="${colours}" ${image}>`
      : `<picture class="${colours}"><source media="${narrow}" srcset="${source}"><img ${image}></picture>`;
  const darkImage = light.replace(/src="[^"]+"/, `src="${dark}"`);
  return shown('light-only', light, narrowLight) + shown('dark-only', darkImage, narrowDark);
};

/**
 * The site has what somebody reads who uses n8n-tuned. What was measured, what contributors read and GitHub's templates
 * are in the repository only.
 */
const NOT_PAGES = new RegExp(
  [
    '(^|/)(results?|golden|node_modules|tools)/',
    '^(studies|lab|monitoring|site|test|\\.github)/',
    '^docs/(records/|architecture\\.md)',
    '^(RELEASING|CODE_OF_CONDUCT)\\.md',
  ].join('|'),
);
const PICTURE = /\.(png|svg)$/;

export const isPage = (file: string): boolean => file.endsWith('.md') && !NOT_PAGES.test(file);

/** What a folder shows first is its README there, and its index here; the site begins with a page of its own. */
export const pathOf = (page: string): string =>
  page === 'README.md' ? 'overview.md' : page.replace(/(^|\/)README\.md$/, '$1index.md');

/** The anchor of a heading as GitHub makes it, which the links between pages use. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/**
 * A page as the site has it, and the pictures that it shows. `files` are all of the repository, `ref` is what links to
 * files that are no page lead to.
 */
export function converted(
  page: string,
  text: string,
  { files, ref }: { files: ReadonlySet<string>; ref: string },
): { content: string; pictures: string[] } {
  const folders = new Set([...files].map((file) => dirname(file)));
  const pictures = new Set<string>();

  const target = (link: string): string => {
    const own = OWN.exec(link);
    if (own === null && /^([a-z]+:|#|\/\/)/i.test(link)) return link;
    const [path = '', anchor] = (own?.[1] ?? link).split('#');
    const file = join(own === null ? dirname(page) : '.', path).replace(/\/$/, '');
    const after = anchor === undefined ? '' : `#${anchor}`;
    const readme = file === '.' ? 'README.md' : `${file}/README.md`;
    const shown = files.has(file) ? file : readme;
    if (files.has(shown) && isPage(shown)) return near(pathOf(shown)) + after;
    if (files.has(file)) {
      if (!PICTURE.test(file)) return `${REPOSITORY}/blob/${ref}/${file}${after}`;
      pictures.add(file);
      return near(file);
    }
    return folders.has(file) ? `${REPOSITORY}/tree/${ref}/${file}` : link;
  };
  const near = (file: string): string => {
    const path = relative(dirname(page), file);
    return path.startsWith('.') ? path : `./${path}`;
  };

  const prose = (part: string): string =>
    part
      .replace(BOTH, chosen)
      .replace(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${target(link)})`)
      .replace(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name: string, link: string) => `${name}="${target(link)}"`,
      );
  /** A link may have code as its text, so code is only put aside. */
  function outsideCode(block: string): string {
    const codes: string[] = [];
    const aside = block.replace(
      /`[^`\n]+`/g,
      (code) => `\uE000${String(codes.push(code) - 1)}\uE000`,
    );
    return prose(aside).replace(
      /\uE000(\d+)\uE000/g,
      (_, index: string) => codes[Number(index)] ?? '',
    );
  }
  // Blocks of code stay as they are.
  const content = text
    .split(/(^```[^]*?^```$)/m)
    .map((block, index) => (index % 2 === 1 ? block : outsideCode(block)))
    .join('');
  return { content, pictures: [...pictures] };
}

/** `# Title` of a page. */
export const titleOf = (text: string): string =>
  /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';

/** What the site begins with: the first sentence of README.md, its picture, and what a reader may want. */
const CARDS: ReadonlyArray<readonly [title: string, page: string, text: string]> = [
  [
    'I have an n8n',
    'docs/get-started.md',
    'How much load can it sustain? A search measures for five minutes.',
  ],
  [
    'I deploy to Kubernetes',
    'charts/n8n-tuned/README.md',
    'A chart with measured settings, alerts and recovery.',
  ],
  ['I am about to go live', 'docs/go-live.md', 'Values with evidence, a proof, and a checklist.'],
  [
    'I want to know what I would lose',
    'docs/drills.md',
    'Break it under load, and count every request.',
  ],
];

export function landing(readme: string): string {
  const sentence = /^# .+\n\n(.+(?:\n.+)*)/m.exec(readme)?.[1] ?? '';
  const picture = /<picture>[^]*?<\/picture>/.exec(readme)?.[0] ?? '';
  const plain = sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ');
  const cards = CARDS.map(([title, page, text]) => `- [${title}](${page})\n\n  ${text}`);
  return `---
layout: home
hero:
  name: n8n-tuned
  tagline: ${JSON.stringify(plain)}
  actions:
    - { text: Get started, link: /docs/get-started }
    - { theme: alt, text: Only the settings, link: /docs/only-settings }
---

${picture}

<div class="cards">

${cards.join('\n')}

</div>
`;
}
