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
    // Of a narrow screen, where there are pictures for one.
    '(?:<source media="(\\(max-width: \\d+px\\)) and \\(prefers-color-scheme: dark\\)" srcset="([^"]+)">',
    '<source media="\\1" srcset="([^"]+)">)?',
    '<source media="\\(prefers-color-scheme: dark\\)" srcset="([^"]+)">',
    '<img ([^>]+)>',
    '</picture>',
  ].join('\\s*'),
  'g',
);
const chosen = (_, narrow, narrowDark, narrowLight, dark, light) => {
  const shown = (colours, image, source) =>
    narrow === undefined
      ? `<img class="${colours}" ${image}>`
      : `<picture class="${colours}"><source media="${narrow}" srcset="${source}"><img ${image}></picture>`;
  const darkImage = light.replace(/src="[^"]+"/, `src="${dark}"`);
  return shown('light-only', light, narrowLight) + shown('dark-only', darkImage, narrowDark);
};

/** Records have reports of their own, and studies pages beside these, which a search would find first; GitHub alone reads its templates. */
const NOT_PAGES =
  /(^|\/)(results?|golden|node_modules)\/|^studies\/.+\/|^\.github\/|^site\/|\/tools\//;
const PICTURE = /\.(png|svg)$/;

export const isPage = (file) => file.endsWith('.md') && !NOT_PAGES.test(file);

/** What a folder shows first is its README there, and its index here. */
export const pathOf = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md');

/** As GitHub makes the anchors of headings, which the links between pages use. */
export const slugOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/**
 * A page as the site has it, and the pictures that it shows. `files` are all of the repository, `ref` is what links to
 * files that are no page lead to.
 */
export function converted(page, text, { files, ref }) {
  const folders = new Set([...files].map((file) => dirname(file)));
  const pictures = new Set();

  const target = (link) => {
    const own = OWN.exec(link);
    if (own === null && /^([a-z]+:|#|\/\/)/i.test(link)) return link;
    const [path, anchor] = (own === null ? link : own[1]).split('#');
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
  const near = (file) => {
    const path = relative(dirname(page), file);
    return path.startsWith('.') ? path : `./${path}`;
  };

  const prose = (part) =>
    part
      .replace(BOTH, chosen)
      .replace(/\]\(([^)\s]+)\)/g, (_, link) => `](${target(link)})`)
      .replace(/\b(src|srcset)="([^"]+)"/g, (_, name, link) => `${name}="${target(link)}"`);
  /** A link may have code as its text, so code is only put aside. */
  function outsideCode(block) {
    const codes = [];
    const aside = block.replace(/`[^`\n]+`/g, (code) => `\uE000${codes.push(code) - 1}\uE000`);
    return prose(aside).replace(/\uE000(\d+)\uE000/g, (_, index) => codes[Number(index)]);
  }
  // Blocks of code stay as they are.
  const content = text
    .split(/(^```[^]*?^```$)/m)
    .map((block, index) => (index % 2 === 1 ? block : outsideCode(block)))
    .join('');
  return { content, pictures: [...pictures] };
}

/** `# Title` of a page. */
export const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
