/** The texts in a source: string literals, and the parts of template literals between what is computed. */
import ts from 'typescript';

export interface Text {
  text: string;
  /** The line at which it begins, from 1. */
  line: number;
}

export function textsOf(file: string, source: string): Text[] {
  const texts: Text[] = [];
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const look = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || isPartOfTemplate(node)) {
      const { line } = parsed.getLineAndCharacterOfPosition(node.getStart());
      texts.push({ text: node.text, line: line + 1 });
    }
    ts.forEachChild(node, look);
  };
  look(parsed);
  return texts;
}

const isPartOfTemplate = (node: ts.Node): node is ts.TemplateLiteralLikeNode =>
  ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
