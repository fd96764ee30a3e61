// VitePress reads it from .vitepress/ of the pages that build.mjs has written; facts.json beside them says what they are.
import { readFileSync } from 'node:fs';
import { REPOSITORY, slugOf } from './pages.mjs';

const facts = JSON.parse(readFileSync(new URL('../facts.json', import.meta.url), 'utf8'));
const { titles } = facts;
const linkTo = (page) => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
const item = (page) => ({ text: titles[page], link: linkTo(page) });
/** In the order of their titles, but for those that are named. */
const items = (pattern, first = []) => [
  ...first.filter((page) => page in titles).map(item),
  ...Object.keys(titles)
    .filter((page) => pattern.test(page) && !first.includes(page))
    .map(item)
    .sort((a, b) => a.text.localeCompare(b.text)),
];

const KNOWN_HTML = /^<(!--|\/?(a|b|br|code|em|i|img|kbd|p|picture|source|span|strong|sub|sup)\b)/;

/** Vue would evaluate what stands in double braces, such as the templates of Helm and the expressions of n8n. */
function literally({ renderer, utils }) {
  const { code_inline: code } = renderer.rules;
  renderer.rules.code_inline = (...args) =>
    code(...args).replace(/^<code(?! v-pre)/, '<code v-pre');
  // `<release>` in a sentence is a placeholder.
  renderer.rules.html_inline = (tokens, index) => {
    const { content } = tokens[index];
    return KNOWN_HTML.test(content) ? content : utils.escapeHtml(content);
  };
  renderer.rules.text = (tokens, index) =>
    utils.escapeHtml(tokens[index].content).replaceAll('{{', '<span v-pre>{{</span>');
}

export default {
  title: 'n8n-tuned',
  description:
    'Deploy n8n tuned, measure how much load it sustains, and break it to see what is lost',
  base: facts.base,
  cleanUrls: false,
  // A link that leads nowhere ends the build.
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify: slugOf },
    languageAlias: { promql: 'sql' },
    config: literally,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    nav: [
      { text: 'Guide', link: '/docs/guide' },
      { text: 'Chart', link: '/charts/n8n-tuned/' },
      { text: 'Reference', link: '/docs/reference' },
      {
        text: facts.name,
        items: facts.versions.map((version) => ({ ...version, target: '_self' })),
      },
    ],
    sidebar: [
      {
        text: 'n8n-tuned',
        items: items(/^docs\/[^/]+\.md$/, ['index.md', 'docs/guide.md', 'docs/kubernetes.md']),
      },
      { text: 'Chart', items: items(/^docs\/chart\//, ['charts/n8n-tuned/index.md']) },
      {
        text: 'Runbooks',
        collapsed: true,
        items: items(/^docs\/runbooks\//, ['docs/runbooks/index.md']),
      },
      {
        text: 'Project',
        collapsed: true,
        items: items(/^(CHANGELOG|CONTRIBUTING|RELEASING|SECURITY|CODE_OF_CONDUCT)\.md$/),
      },
    ],
  },
};
