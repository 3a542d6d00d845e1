import type { Json } from 'claviger'

/** What protobufjs makes of a message, as protobuf writes it in JSON: times, with milliseconds. */
export const protobufJson = (value: unknown, name = ''): Json => {
  if (Array.isArray(value)) return value.map((item) => protobufJson(item))
  if (typeof value !== 'object' || value === null) return value as Json
  if ('seconds' in value && 'nanos' in value && name === 'retryDelay')
    return `${value.seconds}.${String(value.nanos).padStart(9, '0').slice(0, 3)}s`
  if ('seconds' in value && 'nanos' in value)
    return new Date(Number(value.seconds) * 1000 + Number(value.nanos) / 1e6).toISOString()
  if (isValue(value)) return protobufJson(valueIn(value))
  return Object.fromEntries(
    Object.entries(value)
      // Names of which optional fields are there.
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, part]) => [name, protobufJson(part, name)]),
  )
}

/** Whether this is a `google.protobuf.Value`, of which one field is there. */
const isValue = (value: object): boolean =>
  /^(stringValue|numberValue|boolValue|listValue|structValue)$/.test(Object.keys(value).join())

const valueIn = (value: object): unknown => {
  const [held] = Object.values(value)
  return typeof held === 'object' ? (held.values ?? held.fields) : held
}
