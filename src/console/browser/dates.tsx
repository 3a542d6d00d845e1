import { Choice } from './choice.js'
import { parameter, setParameters } from './router.js'
import { say, texts } from './texts.js'

/** A time in the zone of the reader, as controls have it; empty for none. */
const localOf = (at: string): string => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The day of a time. */
const dayOf = (at: string): string => localOf(at).slice(0, 10)

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
  /** Whether the hour is chosen too. */
  readonly hasHour?: boolean
}

/** Chooses a day, and the hour of it. A time of that day which was set before stays as it is. */
export const DateInput = (props: DateInputProps) => {
  const { text, label = text, at, change, isStart = false, hasHour = false } = props
  return (
    <span class="date">
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
      {hasHour && dayOf(at) && (
        <input
          type="time"
          aria-label={say(texts.hourOf, { label })}
          value={localOf(at).slice(11, 16)}
          onChange={({ currentTarget: { value } }) =>
            value && change(new Date(`${dayOf(at)}T${value}`).toISOString())
          }
        />
      )}
    </span>
  )
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Ends that are chosen with one press, in days from today. */
const QUICK = { '': 0, week: 7, fortnight: 14, month: 30, quarter: 91 } as const

interface EndInputProps {
  /** Name of the role that ends. */
  readonly role: string
  /** A time; empty for none. */
  readonly at: string
  readonly change: (at: string) => void
}

/** Chooses when a role ends: in a week or so, or on a day. */
export const EndInput = ({ role, at, change }: EndInputProps) => {
  const ends = Object.entries(QUICK).map(([name, days]) => ({
    name,
    at: days > 0 ? endOfDay(new Date(Date.now() + days * DAY_MS)) : '',
  }))
  const quick = ends.find((end) => end.at === at)?.name ?? 'day'
  const choose = (name: string) =>
    change(ends.find((end) => end.name === name)?.at ?? endOfDay(new Date()))
  return (
    <span class="end">
      <Choice
        label={say(texts.endOf, { role })}
        value={quick}
        options={[...Object.keys(QUICK), 'day'].map((value) => ({
          value,
          name: texts.ends[value || 'never'],
        }))}
        change={choose}
      />
      {quick === 'day' && (
        <DateInput
          text={texts.untilLabel}
          label={say(texts.untilOf, { role })}
          at={at}
          change={change}
        />
      )}
    </span>
  )
}

interface DateFieldProps {
  /** Parameter of the page that has the time, in UTC. */
  readonly name: string
  readonly label: string
  readonly isStart?: boolean
  readonly hasHour?: boolean
}

/** Chooses a day of the past that the page is about. */
export const DateField = ({ name, label, ...shape }: DateFieldProps) => (
  <DateInput
    {...shape}
    text={label}
    at={parameter(name)}
    change={(at) => setParameters({ [name]: at && notAfterNow(at) })}
  />
)

/** A time that is not in the future. */
export const notAfterNow = (at: string): string =>
  new Date(Math.min(Date.parse(at), Date.now())).toISOString()

/** Times that are chosen with one press: days before today, and from which hour. An end lies at the end of the first day. */
const PERIODS = {
  all: undefined,
  today: { days: 0, hour: 0, isOver: false },
  yesterday: { days: 1, hour: 0, isOver: true },
  evening: { days: 1, hour: 17, isOver: true },
  week: { days: 6, hour: 0, isOver: false },
  month: { days: 29, hour: 0, isOver: false },
} as const

const periodOf = (period: (typeof PERIODS)[keyof typeof PERIODS]) => {
  if (!period) return { from: '', to: '' }
  const from = new Date()
  from.setDate(from.getDate() - period.days)
  from.setHours(period.hour, 0, 0, 0)
  return { from: from.toISOString(), to: period.isOver ? endOfDay(from) : '' }
}

/** Chooses a time in the parameters `from` and `to`, such as yesterday evening. */
export const PeriodChoice = () => {
  const periods = Object.entries(PERIODS).map(([name, each]) => ({ name, ...periodOf(each) }))
  const [from, to] = [parameter('from'), parameter('to')]
  const chosen = periods.find((each) => each.from === from && each.to === to)?.name ?? 'other'
  return (
    <Choice
      text={texts.period}
      value={chosen}
      options={[...periods.map(({ name }) => name), ...(chosen === 'other' ? ['other'] : [])].map(
        (value) => ({ value, name: texts.periods[value] }),
      )}
      change={(value) => {
        const period = periods.find(({ name }) => name === value)
        if (period) setParameters({ from: period.from, to: period.to })
      }}
    />
  )
}
