/** A record of what `make` returns for each of `names`. */
export const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> =>
  // `Object.fromEntries` forgets which names it was given.
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>
