/**
 * What a column of JSON holds; undefined when it is none. Whoever reads the event finds that out and
 * names its place: to throw here would make a damaged row look like a store that is away.
 */
export const storedJson = (text: string): ReturnType<typeof JSON.parse> => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
