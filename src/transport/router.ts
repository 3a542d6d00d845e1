/** A target, and the method and paths that lead there: `{name}` in the template stands for any text without a slash. */
export type Entry<Target> = readonly [verb: string, template: string, target: Target]

/** The target of a path, and the parameters in the path as they were sent. */
interface Found<Target> {
  readonly target: Target
  readonly params: readonly string[]
}

/** All paths that have the same segments so far. */
interface Node<Target> {
  readonly literals: Map<string, Node<Target>>
  /** Keyed by the text after the variable in its segment, such as `:deactivate`, or empty. */
  readonly variables: Map<string, Node<Target>>
  target?: Target
}

/** A router that goes through a path once, one segment after the other. */
export const createRouter = <Target>(routes: readonly Entry<Target>[]) => {
  const roots = new Map<string, Node<Target>>()
  const longest = Math.max(...routes.map(([, template]) => template.split('/').length))
  for (const [verb, template, target] of routes) {
    let node = childOf(roots, verb)
    for (const segment of template.split('/')) {
      const [, suffix] = /^\{\w+\}(.*)$/.exec(segment) ?? []
      node =
        suffix === undefined ? childOf(node.literals, segment) : childOf(node.variables, suffix)
    }
    node.target = target
  }
  const find = (verb: string, path: string): Found<Target> | undefined => {
    const root = roots.get(verb)
    // A stranger may send a path of many thousand segments.
    const segments = path.split('/', longest + 1)
    return root && segments.length <= longest ? walk(root, segments, 0) : undefined
  }
  /** The methods that a path has. */
  const verbsOf = (path: string) => [...roots.keys()].filter((verb) => find(verb, path))
  return { find, verbsOf }
}

const childOf = <Target>(children: Map<string, Node<Target>>, key: string): Node<Target> => {
  const child = children.get(key) ?? { literals: new Map(), variables: new Map() }
  children.set(key, child)
  return child
}

const walk = <Target>(
  { literals, variables, target }: Node<Target>,
  segments: readonly string[],
  index: number,
): Found<Target> | undefined => {
  const segment = segments[index]
  if (segment === undefined) return target && { target, params: [] }
  const literal = literals.get(segment)
  const found = literal && walk(literal, segments, index + 1)
  if (found) return found
  for (const [suffix, child] of variables) {
    const text = segment.slice(0, segment.length - suffix.length)
    const isMatch = text !== '' && segment.endsWith(suffix)
    const below = isMatch ? walk(child, segments, index + 1) : undefined
    if (below) return { target: below.target, params: [text, ...below.params] }
  }
  return undefined
}
