/** Prose of documents: its sentences, and what a reader stumbles over in them. */

/** Code, links and pictures stand for one word; tables and code blocks are no prose. */
export function sentencesOf(markdown: string): string[] {
  const blocks = markdown
    .replace(/^---\n[^]*?\n---\n/, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^```[^]*?^```/gm, '')
    .replace(/^( {4}|\t).*$/gm, '')
    .replace(/^\|.*$/gm, '')
    .replace(/^#.*$/gm, '')
    .replace(/^>.*$/gm, '')
    .replace(/<[^>\n]+>/g, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/^\s*(?:[-*]|\d+\.) (?:\[ \] )?/gm, '\n\n')
    .split(/\n\s*\n/);
  return blocks.flatMap((block) =>
    block
      .replace(/[*_]{1,2}/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/CODE(?:(?:,| and| or|, and|, or) CODE)+/g, 'CODE')
      .split(/(?<=[.!?]["')]?) (?=["'(]?(?:[A-Z0-9]|n8n\b|docs\/|\/))/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  );
}

/** Each cell of a table, and each item of a list in it, as sentences. */
export const cellsOf = (markdown: string): string[] =>
  markdown
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^```[^]*?^```/gm, '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) =>
      line
        .replaceAll('\\|', '/')
        .replace(/`[^`]*`/g, 'CODE')
        .split('|')
        .slice(1, -1)
        .flatMap((cell) => cell.split(/<br ?\/?>|;(?= )/)),
    )
    .flatMap((item) => sentencesOf(item.trim()));

export const wordsIn = (sentence: string): string[] => sentence.match(/[\p{L}\p{N}][^\s]*/gu) ?? [];

export const MAX_WORDS = 35;

/** "This is …", where "This patch is …" says what. */
const BARE = new RegExp(
  [
    '^(?:This|That|These|Those) (?:(?:also|only|never|often|usually|then|still|alone) )?',
    '(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|should)\\b',
    '|^(?:This|That) (?:also )?\\w+[^su]s\\b',
  ].join(''),
);

const AUXILIARIES =
  'am is are was were be been being has have had do does did can cannot could may might must shall should will would'.split(
    ' ',
  );
/** Verbs that the docs use; with their usual endings. */
const VERBS =
  'accept activate add affect agree allocate allow answer appear apply approach arrive ask assign assume avoid base become begin behave belong block bring build calculate call carry cause change check choose clean close come commit compare compete compile complete compute configure confirm connect consist contain continue control convert copy correct cost count cover crash create deactivate decide declare delay delete depend deploy derive describe detect determine differ discard distinguish divide do double download draw drop dump enable encrypt end ensure estimate evict exceed execute exist exit expect explain export expose fail fill find finish fire fit flow follow forward free generate get give go grow hand handle happen have help hold identify ignore imply import include inject install keep kill know lack last lead learn leave let limit link list listen load loadtest log look lose lower make map mark mask match matter mean measure meet merge migrate miss monitor move name need note notice observe omit open outlive override overwrite own pass pause pay perform persist pin ping place point poll print prevent process promise protect prove provide prune publish pull put query queue raise reach read receive recognise reconnect record recover reduce refer refuse register reject release reload remain remember remove render renew repeat replace report request require rerun reset resolve respond restart restore retry return reuse rewrite rise roll rotate route run save say scale scrape search see select send serve set share show shrink shut sign silence size skip slow specify split spread stand start state stay stop store support survive sustain take tell terminate test time tolerate trace translate treat trigger trust try turn understand unlock update upgrade use vary verify wait want warn watch work write yield'.split(
    ' ',
  );
const IRREGULAR =
  'began begun broke broken brought built came chose done drew driven fell felt found gave given went gone grew held kept knew known laid led left lay lies lost made meant met paid ran read rose said sat saw seen sent set shown shrank spent stood took taken told thought threw tried understood used wrote written see look try'.split(
    ' ',
  );
const isVerb = (word: string): boolean => {
  const bare = word.toLowerCase().replace(/[^a-z']/g, '');
  if (AUXILIARIES.includes(bare) || IRREGULAR.includes(bare) || /n't$/.test(bare)) return true;
  const stems = [
    bare,
    bare.replace(/s$/, ''),
    bare.replace(/es$/, ''),
    bare.replace(/ies$/, 'y'),
    bare.replace(/ied$/, 'y'),
    bare.replace(/d$/, ''),
    bare.replace(/ed$/, ''),
    bare.replace(/(.)\1ed$/, '$1'),
  ];
  return stems.some((stem) => VERBS.includes(stem));
};

/** What is wrong with the form of a sentence; null where nothing is. */
export function faultOf(sentence: string): string | null {
  const words = wordsIn(sentence);
  if (words.length > MAX_WORDS) return `${String(words.length)} words`;
  if (BARE.test(sentence)) return 'a demonstrative without a noun';
  // A label and what belongs to it, as in a list, and a question need no verb.
  const isSentence = /[.!]["')]?$/.test(sentence) && !sentence.includes(':') && words.length > 3;
  if (isSentence && !words.some(isVerb)) return 'no verb';
  return null;
}

/** The comments of a YAML file that have a line of their own, as Markdown. */
export function commentsOf(yaml: string): string {
  const blocks: string[][] = [];
  let isComment = false;
  for (const line of yaml.split('\n')) {
    const [, text] = /^\s*# ?(?:-- |@\w+.*)?(.*)$/.exec(line) ?? [];
    if (text !== undefined) {
      if (!isComment) blocks.push([]);
      blocks.at(-1)?.push(text);
    }
    isComment = text !== undefined;
  }
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}
