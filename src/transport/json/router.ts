/** A target, and the method and paths that lead there: `{name}` in the template stands for any text without a slash. */
export type Entry<Target> = readonly [verb: string, template: string, target: Target]

/** The target of a path, and the parameters in the path as they were sent. */
interface Found<Target> {
  readonly target: Target
  readonly params: readonly string[]
}

/** A router that tries the routes with as many segments as the path has. Literal segments win over variables. */
export const createRouter = <Target>(entries: readonly Entry<Target>[]) => {
  const routes = entries
    .map(([verb, template, target]) => ({ verb, template, target, pattern: patternOf(template) }))
    .toSorted((one, other) => variablesIn(one.template) - variablesIn(other.template))
  const byShape = Map.groupBy(routes, ({ verb, template }) => shapeOf(verb, template))
  const verbs = new Set(entries.map(([verb]) => verb))
  const find = (verb: string, path: string): Found<Target> | undefined => {
    for (const { pattern, target } of byShape.get(shapeOf(verb, path)) ?? []) {
      const match = pattern.exec(path)
      if (match) return { target, params: match.slice(1) }
    }
    return undefined
  }
  /** The methods that a path has. */
  const verbsOf = (path: string) => [...verbs].filter((verb) => find(verb, path))
  return { find, verbsOf }
}

/** The method and the number of segments, up to a bound: a stranger may send a path of many thousand segments. */
const shapeOf = (verb: string, path: string): string => `${verb} ${path.split('/', 16).length}`

const variablesIn = (template: string): number => template.split('{').length

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
