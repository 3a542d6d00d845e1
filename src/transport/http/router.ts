/** Where a path leads, and the texts of its variables as they were sent. */
export interface Found<Target> {
  readonly target: Target
  readonly texts: readonly string[]
}

/** Finds the target of a method and a path. */
export interface Router<Target> {
  readonly find: (verb: string, path: string) => Found<Target> | undefined
  /** The methods that the path has. */
  readonly verbsOf: (path: string) => readonly string[]
}

/** A target, and the method and paths that lead there: `{name}` in the template stands for any text but a slash. */
export type Route<Target> = readonly [verb: string, template: string, target: Target]

/** What the paths lead to that have the same segments so far. */
interface Node<Target> {
  readonly literals: Map<string, Node<Target>>
  /** By what follows the variable in its segment, such as `:deactivate`, or nothing. */
  readonly variables: Map<string, Node<Target>>
  target?: Target
}

/** A router that goes through a path once, one segment after the other. */
export const createRouter = <Target>(routes: readonly Route<Target>[]): Router<Target> => {
  const roots = new Map<string, Node<Target>>()
  for (const [verb, template, target] of routes) {
    const root = childOf(roots, verb)
    template.split('/').reduce<Node<Target>>(segmentOf, root).target = target
  }
  const find = (verb: string, path: string): Found<Target> | undefined => {
    const root = roots.get(verb)
    return root && walk(root, path.split('/'), 0)
  }
  return { find, verbsOf: (path) => [...roots.keys()].filter((verb) => find(verb, path)) }
}

const childOf = <Target>(children: Map<string, Node<Target>>, key: string): Node<Target> => {
  const child = children.get(key) ?? { literals: new Map(), variables: new Map() }
  children.set(key, child)
  return child
}

const segmentOf = <Target>(from: Node<Target>, segment: string): Node<Target> => {
  const [, suffix] = /^\{\w+\}(.*)$/.exec(segment) ?? []
  return suffix === undefined ? childOf(from.literals, segment) : childOf(from.variables, suffix)
}

const walk = <Target>(
  from: Node<Target>,
  segments: readonly string[],
  index: number,
): Found<Target> | undefined => {
  const segment = segments[index]
  if (segment === undefined) return from.target && { target: from.target, texts: [] }
  const literal = from.literals.get(segment)
  const found = literal && walk(literal, segments, index + 1)
  if (found) return found
  for (const [suffix, child] of from.variables) {
    const text = segment.slice(0, segment.length - suffix.length)
    const isMatch = text !== '' && segment.endsWith(suffix)
    const below = isMatch ? walk(child, segments, index + 1) : undefined
    if (below) return { target: below.target, texts: [text, ...below.texts] }
  }
  return undefined
}
