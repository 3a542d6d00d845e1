import { parameter, setParameters } from './router.js'

/** The day of a time, in the zone of the reader, as controls for dates have it. */
const dayOf = (at: string): string => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** The first or the last minute of a day, in the zone of the reader. */
const timeOf = (day: string, isStart = false): string => {
  const date = new Date(`${day}T${isStart ? '00:00' : '23:59'}`)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** The last minute of the day of a time, in the zone of the reader. */
export const endOfDay = (at: Date): string => timeOf(dayOf(at.toISOString()))

interface DateInputProps {
  /** Label in front of the control. */
  readonly text: string
  /** Accessible name of the control, if the text is not enough. */
  readonly label?: string
  /** A time; empty for none. */
  readonly at: string
  readonly change: (at: string) => void
  /** Whether a day stands for its first minute; otherwise for its last. */
  readonly isStart?: boolean
}

/** Chooses a day. A time of that day which was set before stays as it is. */
export const DateInput = ({ text, label = text, at, change, isStart = false }: DateInputProps) => (
  <label class="date">
    <span aria-hidden="true">{text}</span>{' '}
    <input
      type="date"
      aria-label={label}
      max="9999-12-31"
      value={dayOf(at)}
      onChange={({ currentTarget: { value } }) => {
        if (value !== dayOf(at)) change(value && timeOf(value, isStart))
      }}
    />
  </label>
)

interface DateFieldProps {
  /** Parameter of the page that has the time, in UTC. */
  readonly name: string
  readonly label: string
  readonly isStart?: boolean
}

/** Chooses a day of the past that the page is about. */
export const DateField = ({ name, label, isStart = false }: DateFieldProps) => (
  <DateInput
    text={label}
    at={parameter(name)}
    isStart={isStart}
    change={(at) => setParameters({ [name]: at && notAfterNow(at) })}
  />
)

const notAfterNow = (at: string): string =>
  new Date(Math.min(Date.parse(at), Date.now())).toISOString()
