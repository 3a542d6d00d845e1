/** With a zone, and in capitals. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** The time of a text in the form of RFC 3339, to the millisecond; undefined for any other text. */
export const timeIn = (text: string): Date | undefined => {
  const [, second = '', fraction = '', zone] = TIME.exec(text) ?? []
  const time = Date.parse(`${second}${fraction.slice(0, 4)}${zone}`)
  // JavaScript reads the 30th of February as a day in March, and 24 o'clock as the next day.
  const local = Date.parse(`${second}Z`)
  const isOnCalendar =
    Number.isFinite(time + local) && new Date(local).toISOString().startsWith(second)
  return isOnCalendar ? new Date(time) : undefined
}
