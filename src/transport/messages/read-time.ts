/** What is wrong with any other value. */
export const A_TIME = 'must be a time of RFC 3339 in the years 1 to 9999'

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** As JSON of protobuf has it: with a zone, and with at most nine digits of a second's fraction. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** The time that a value of JSON names, to the millisecond; undefined where it names none. */
export const timeInJson = (value: unknown): Date | undefined => {
  const [, second = '', fraction = '', zone] =
    TIME.exec(typeof value === 'string' ? value : '') ?? []
  const time = inRange(Date.parse(`${second}${fraction.slice(0, 4)}${zone}`))
  return time && isOnCalendar(second) ? time : undefined
}

/** JavaScript takes the 30th of February for a day in March, and 24 o'clock for the next day. */
const isOnCalendar = (second: string): boolean =>
  new Date(`${second}Z`).toISOString().startsWith(second)

/** The time of a `google.protobuf.Timestamp`, to the millisecond; undefined where it has none. */
export const timeInProtobuf = (timestamp: object): Date | undefined => {
  const seconds: unknown = Reflect.get(timestamp, 'seconds')
  const nanos = Number(Reflect.get(timestamp, 'nanos'))
  if (typeof seconds !== 'bigint' || nanos < 0 || nanos > 999_999_999) return undefined
  return inRange(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000))
}

const inRange = (time: number): Date | undefined =>
  time >= EARLIEST && time <= LATEST ? new Date(time) : undefined
