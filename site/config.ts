// VitePress reads it from .vitepress/ of the pages that build.ts has written; facts.json beside them says what they are.
import { readFileSync } from 'node:fs';
import { sidebar, type MenuItem, type Titles } from './menus.ts';
import { REPOSITORY, slugOf } from './pages.ts';
import { repairs } from './repairs.ts';
import { search } from './search.ts';

/** What build.ts says of the version whose pages these are. */
export interface Facts {
  name: string;
  titles: Titles;
  /** When each page was changed, in ms since 1970. */
  updated: Record<string, number>;
  base: string;
  icon: string | null;
  versions: MenuItem[];
}
const facts = JSON.parse(readFileSync(new URL('../facts.json', import.meta.url), 'utf8')) as Facts;

/** What is used here of markdown-it. */
interface Token {
  content: string;
  attrJoin: (name: string, value: string) => void;
}
interface Renderer {
  renderToken: (tokens: Token[], index: number, options: object) => string;
}
type Rule = (
  tokens: Token[],
  index: number,
  options: object,
  env: object,
  self: Renderer,
) => string;
interface MarkdownIt {
  renderer: { rules: Record<string, Rule> };
  utils: { escapeHtml: (text: string) => string };
}

const KNOWN_HTML = /^<(!--|\/?(a|b|br|code|em|i|img|kbd|p|picture|source|span|strong|sub|sup)\b)/;

/** Vue would evaluate what stands in double braces, such as the templates of Helm and the expressions of n8n. */
function literally({ renderer, utils }: MarkdownIt): void {
  const code = renderer.rules['code_inline'];
  if (code === undefined) throw new Error('markdown-it has no rule for code in a sentence');
  renderer.rules['code_inline'] = (...args) =>
    code(...args).replace(/^<code(?! v-pre)/, '<code v-pre');
  // `<release>` in a sentence is a placeholder.
  renderer.rules['html_inline'] = (tokens, index) => {
    const content = tokens[index]?.content ?? '';
    return KNOWN_HTML.test(content) ? content : utils.escapeHtml(content);
  };
  renderer.rules['text'] = (tokens, index) =>
    utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{{', '<span v-pre>{{</span>');
}

/** A figure stays on one line, a sentence gets some width, and a table that is wider than the page scrolls. */
function cellsByLength({ renderer }: MarkdownIt): void {
  const SENTENCE = 48;
  const shortest = { td_open: 26, th_open: 14 };
  for (const [rule, short] of Object.entries(shortest))
    renderer.rules[rule] = (tokens, index, options, _, self) => {
      const { length } = (tokens[index + 1]?.content ?? '').replace(/\]\([^)]*\)/g, ']');
      if (length <= short) tokens[index]?.attrJoin('class', 'short');
      else if (length > SENTENCE && rule === 'td_open') tokens[index]?.attrJoin('class', 'long');
      return self.renderToken(tokens, index, options);
    };
}

export default {
  title: 'n8n-tuned',
  description:
    'Find out before go-live how much load your n8n sustains, what breaks first, and what to deploy',
  base: facts.base,
  head: facts.icon ? [['link', { rel: 'icon', type: 'image/svg+xml', href: facts.icon }]] : [],
  vite: { plugins: [repairs] },
  cleanUrls: false,
  // A link that leads nowhere ends the build.
  ignoreDeadLinks: false,
  lastUpdated: true,
  // VitePress would ask git about the copy that it reads.
  transformPageData: (page: { relativePath: string }) => ({
    lastUpdated: facts.updated[page.relativePath],
  }),
  markdown: {
    anchor: { slugify: slugOf },
    languageAlias: { promql: 'sql' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown: MarkdownIt) => {
      for (const change of [literally, cellsByLength]) change(markdown);
    },
  },
  themeConfig: {
    ...(facts.icon && { logo: { src: '/icon.svg', alt: '' } }),
    search,
    editLink: {
      pattern: ({ frontmatter }: { frontmatter: { edit: string } }) => frontmatter.edit,
      text: 'Edit this page',
    },
    lastUpdated: { text: 'Updated', formatOptions: { dateStyle: 'long', forceLocale: true } },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    nav: [
      { text: 'Get started', link: '/docs/get-started' },
      { text: 'Chart', link: '/charts/n8n-tuned/' },
      { text: 'Reference', link: '/docs/reference/' },
      {
        text: `Version ${facts.name}`,
        items: facts.versions.map((version) => ({ ...version, target: '_self' })),
      },
    ],
    sidebar: sidebar(facts.titles),
  },
};
