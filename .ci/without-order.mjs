import ts from 'typescript'

/**
 * `source` with the members of each union, and the fields of each nameless type, in one order, and one
 * blank between all words: the compiler lists these in an order that differs from run to run. Everything
 * else keeps its place.
 */
export const withoutOrder = (source) => {
  const file = ts.createSourceFile('report.ts', source, ts.ScriptTarget.Latest, true)
  const textOf = (node) => {
    if (ts.isUnionTypeNode(node)) return node.types.map(textOf).sort().join(' | ')
    if (ts.isTypeLiteralNode(node) && node.members.every(ts.isPropertySignature))
      return `{ ${node.members.map(textOf).sort().join(' ')} }`
    const parts = node.getChildren(file)
    return parts.length === 0 ? wordsOf(node.getFullText(file)) : parts.map(textOf).join(' ')
  }
  return textOf(file)
}

const wordsOf = (text) => text.split(/\s+/).filter(Boolean).join(' ')
