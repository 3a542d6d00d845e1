/**
 * A value as JSON after RFC 8785: keys in the order of their UTF-16 code units, no space, numbers and text as ECMAScript
 * writes them. Properties that are undefined are left out, as in JSON. For what JSON can hold.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`
  let fields = ''
  for (const name of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, name)
    if (field === undefined) continue
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`
  }
  return `{${fields}}`
}
